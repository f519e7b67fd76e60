DIFF_PHS=diffrule=diffrule_kw=nodiff=None
