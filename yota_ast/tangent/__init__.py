"""Forward mode: a tape -> the program of its value and of the tangent along others."""
