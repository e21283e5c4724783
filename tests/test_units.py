from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.errors import InputError
from pardnn.units import ceil_size, format_rate, format_size, format_time, parse_rate, parse_size, parse_time


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("16GB", 16 * 10**9),
        ("16GiB", 2**34),
        ("16G", 16 * 10**9),
        ("16 GB", 16 * 10**9),
        (" 16GB ", 16 * 10**9),
        ("1.5kB", 1500),
        ("1.5KB", 1500),
        ("1KiB", 1024),
        ("2M", 2 * 10**6),
        ("3TB", 3 * 10**12),
        ("512", 512),
        ("512B", 512),
        ("1e9", 10**9),
        ("0", 0),
        (".5GB", 5 * 10**8),
        ("0.1", 1),  # never less than what was asked for
        ("0.1GB", 10**8),  # exact, unlike 0.1 * 1e9 in floats elsewhere
        ("9007199254740993", 2**53 + 1),  # more digits than a double holds
    ],
)
def test_sizes(text: str, nbytes: int) -> None:
    assert parse_size(text) == nbytes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("16Gb", "bits or bytes"),
        ("16gb", "bits or bytes"),
        ("", "not a size"),
        ("GB", "not a size"),
        ("-1GB", "not a size"),
        ("nan", "not a size"),
        ("inf", "not a size"),
        ("1,5GB", "not a size: '1,5GB'"),
        ("16 G B", "not a size"),
        ("16XB", "unknown unit 'XB'"),
        ("16GB/s", "unknown unit"),
        ("٣GB", "not a size"),
        ("1e999", "out of range"),
        ("9223372036854775808", "out of range"),
    ],
)
def test_what_is_no_size_is_refused_with_a_word(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(")) as caught:
        parse_size(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [
        ("1", 1),
        ("7B/s", 7),
        ("7kB/s", 7000),
        ("7MB/s", 7 * 10**6),
        ("12GB/s", 12 * 10**9),
        ("1GiB/s", 2**30),
        ("25Gbit/s", 3_125_000_000),
        ("1bit/s", 1),
    ],
)
def test_rates(text: str, bytes_per_s: int) -> None:
    assert parse_rate(text) == bytes_per_s


@pytest.mark.parametrize(
    ("text", "said"), [("12Gb/s", "bits or bytes"), ("12Gbps", "bits or bytes"), ("12GB", "unknown")]
)
def test_what_is_no_rate_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_rate(text)


@pytest.mark.parametrize(
    ("text", "ns"),
    [("7ns", 7), ("10us", 10_000), ("10µs", 10_000), ("1.5ms", 1_500_000), ("30 s", 30 * 10**9), ("2min", 120 * 10**9)],
)
def test_times(text: str, ns: int) -> None:
    assert parse_time(text) == ns


@pytest.mark.parametrize(("text", "said"), [("10", "unit is missing"), ("10h", "unknown unit"), ("-1us", "not a time")])
def test_what_is_no_time_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_time(text)


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (1000, "1.00 us"),
        (3_200_000, "3.20 ms"),
        (31_960_000, "32.0 ms"),
        (999_400, "999 us"),
        (999_600, "1.00 ms"),
        (9_994_000, "9.99 ms"),
        (9_996_000, "10.0 ms"),
        (75_000_000_000, "75.0 s"),
        (123_456_000_000_000, "123456 s"),
        (-1500, "-1.50 us"),
    ],
)
def test_times_read_well(ns: int, text: str) -> None:
    assert format_time(ns) == text


@pytest.mark.parametrize(("nbytes", "text"), [(18_468_000_000, "17.2 GiB"), (2**40 - 1, "1.00 TiB"), (1023, "1023 B")])
def test_sizes_read_well(nbytes: int, text: str) -> None:
    assert format_size(nbytes) == text


def test_rates_read_well() -> None:
    assert format_rate(12 * 10**9) == "12.0 GB/s"


@given(st.integers(0, 2**60))
def test_a_size_to_type_is_enough_and_hardly_more(nbytes: int) -> None:
    typed = ceil_size(nbytes)
    parsed = parse_size(typed)
    assert parsed >= nbytes
    assert Fraction(parsed) <= Fraction(nbytes) * Fraction(11, 10)


@given(st.integers(0, 2**60))
def test_what_is_printed_is_within_half_a_percent(ns: int) -> None:
    printed = parse_time(format_time(ns))
    assert abs(Fraction(printed) - ns) * 200 <= max(ns, 200)
