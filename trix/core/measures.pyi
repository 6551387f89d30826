from trix.support.arrays import Floats, Int64s

def sums(
    t: int, o: int, rank: Int64s, which: Int64s, before: Floats, after: Floats, edges: Int64s, exact: bool
) -> tuple[Floats, Floats, Floats, Floats]: ...
