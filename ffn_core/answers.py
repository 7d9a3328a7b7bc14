"""Reading what a student typed: numbers in the notations people use, alone or several in a row.

`0.5`, `0,5`, `1/2`, `5e-1`, `5 × 10⁻¹` and `50 %` are the same number here. Where a text can be read in two ways
(`1,250` is one and a quarter in half the world, and twelve hundred and fifty in the other half), both are returned, and
an answer is right when either is.
"""

import itertools
import math
import re
import unicodedata

MOST_CHARACTERS = 200
LARGEST_EXPONENT = 2000  # float64 ends at 1e308 and 2^1024
HELP = "Write it like 0.5, 0,5, 1/2, 5e-1 or 50 %"
TOO_LARGE = "that is beyond every number that could be meant"

_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺"
_RAISED = str.maketrans(_SUPERSCRIPT, "0123456789-+")
_SIGNS = str.maketrans({**dict.fromkeys("−‐‑‒–—", "-"), **dict.fromkeys("⁄∕÷", "/"), **dict.fromkeys("×·⋅∙", "*")})
_DIGITS = r"(?:[0-9][0-9.,]*|[.,][0-9]+)"
_FRACTION = re.compile(rf"([-+]?)(?:([0-9]+) )?({_DIGITS})/([-+]?)({_DIGITS})")
_POWER = re.compile(rf"([-+]?)(?:({_DIGITS})\*)?({_DIGITS})(?:\^|\*\*)\(?([-+]?[0-9]+)\)?")
_PLAIN = re.compile(rf"([-+]?)({_DIGITS})(?:e([-+]?[0-9]+))?")


def plain(text):
    """The text in plain characters: one kind of minus, slash and times, `^` before a superscript, single spaces."""
    text = re.sub(f"[{_SUPERSCRIPT}]+", lambda found: "^" + found[0].translate(_RAISED), text)
    text = "".join(f" {c}" if unicodedata.decomposition(c).startswith("<fraction>") else c for c in text)
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS).lower()
    return " ".join(text.split())


def _decimals(digits):
    """The readings of digits with points and commas, as Python writes them.

    >>> _decimals("0,5"), _decimals("1,250"), _decimals("1.234,5")
    (['0.5'], ['1.250', '1250'], ['1234.5'])
    """
    found = []
    for point, comma in ((".", ","), (",", ".")):
        simple = rf"[0-9]*(?:{re.escape(point)}[0-9]*)?"
        grouped = rf"[1-9][0-9]{{0,2}}(?:{re.escape(comma)}[0-9]{{3}})+(?:{re.escape(point)}[0-9]*)?"
        if re.fullmatch(simple, digits):
            found.insert(0, digits.replace(point, "."))
        elif re.fullmatch(grouped, digits) and (comma == "," or digits.count(comma) > 1 or point in digits):
            found.append(digits.replace(comma, "").replace(point, "."))
    if not found:
        raise ValueError(f"the points and commas do not make one number. {HELP}")
    return list(dict.fromkeys(found))


def _power(base, exponent):
    """base^exponent, both as text."""
    if abs(int(exponent)) > LARGEST_EXPONENT:
        raise ValueError(TOO_LARGE)
    try:
        return float(base) ** int(exponent)
    except (OverflowError, ZeroDivisionError):
        raise ValueError(TOO_LARGE) from None


def _signed_values(text):
    """The readings of one number in plain characters, without unit and percent sign."""
    text = re.sub(r" ?([-+*/^]) ?", r"\1", text)  # "- 0.5", "1 / 2", "5 * 10 ^ -1"
    text = re.sub(r"(?<=[0-9.,]) ?e ?(?=[-+]?[0-9])", "e", text)
    if found := _FRACTION.fullmatch(text):
        sign, whole, top, below, bottom = found.groups()
        pairs = [(float(t), float(b)) for t, b in itertools.product(_decimals(top), _decimals(bottom))]
        if not all(b for _, b in pairs):
            raise ValueError("the number below the fraction bar is 0")
        sizes = [float(whole or 0) + t / b for t, b in pairs]
        return [-s if (sign == "-") != (below == "-") else s for s in sizes]
    text = re.sub(r"(?<=[0-9])[ '](?=[0-9]{3}(?![0-9]))", "", text)  # 1 000 and 1'000
    if found := _POWER.fullmatch(text):
        sign, factor, base, exponent = found.groups()
        pairs = itertools.product(_decimals(factor or "1"), _decimals(base))
        sizes = [float(f) * _power(b, exponent) for f, b in pairs]
    elif found := _PLAIN.fullmatch(text):
        sign, digits, exponent = found.groups()
        sizes = [float(f"{d}e{exponent or 0}") for d in _decimals(digits)]
    else:
        raise ValueError(f"that is not a number this page can read. {HELP}")
    return [-s if sign == "-" else s for s in sizes]


def read_number(text, unit=""):
    """The number that a text stands for.

    Parameters
    ----------
    text : str
        At most 200 characters. A name with an equals sign in front and the unit behind may be there.
    unit : str
        Unit of the answer. With "%" the number is per cent; else `50 %` is 0.5.

    Returns
    -------
    tuple of float
        All readings, the likeliest first; almost always one.

    Raises
    ------
    ValueError
        When it is no number, or none that a float can hold; the message is a sentence for the student.

    Examples
    --------
    >>> read_number(" x = −0,5 sd", "sd"), read_number("5 × 10⁻¹"), read_number("50 %")
    ((-0.5,), (0.5,), (0.5,))
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"that has {len(text)} characters; a number is wanted. {HELP}")
    text = re.sub(r"^(?:[^\W\d]\w*['′]? ?)?[=≈~:] ?", "", plain(text)).strip("$ ").removesuffix(".")
    if unit and unit != "%":
        text = text.removesuffix(plain(unit)).removesuffix(plain(unit).removesuffix("s")).rstrip()
    per_cent = re.search(r" ?(?:%|percent|per cent)$", text)
    values = _signed_values(text[: per_cent.start()] if per_cent else text)
    if per_cent and unit != "%":
        values = [v / 100.0 for v in values]
    if not all(map(math.isfinite, values)):
        raise ValueError(TOO_LARGE)
    return tuple(dict.fromkeys(values))


def read_numbers(text, count, unit=""):
    """Several numbers in a row, between spaces, semicolons, line ends or commas, with or without brackets.

    Parameters
    ----------
    text : str
    count : int
        How many are wanted; it also tells a separating comma from a decimal one.
    unit : str

    Returns
    -------
    tuple of tuple of float
        The readings of each number, see `read_number`.

    Raises
    ------
    ValueError
        When there is no way to read that many numbers.

    Examples
    --------
    >>> read_numbers("[0.1, 0.2]", 2) == read_numbers("0,1 0,2", 2) == ((0.1,), (0.2,))
    True
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"that has {len(text)} characters; {count} numbers are wanted")
    bare = re.sub(r"^\s*[^\W\d]\w*['′]?\s*=|array|[\[\](){}]", " ", text).strip(" ,;\n")
    complaint = None
    for separator in (r"[;\n]", r"[,;]\s+|\s*\|\s*", r"\s+", r",", r"[,;\s]+"):
        parts = [part for part in re.split(separator, bare) if part.strip()]
        if len(parts) == count:
            try:
                return tuple(read_number(part, unit) for part in parts)
            except ValueError as error:
                complaint = complaint or error
    raise complaint or ValueError(f"{count} numbers are wanted, with spaces between them")
