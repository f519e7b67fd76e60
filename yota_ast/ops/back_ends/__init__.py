"""What each back end can print beside the readable one, which prints all."""
