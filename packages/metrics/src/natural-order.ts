/**
 * Compares names for their order in results: runs of digits compare as numbers, everything else by code units, so `bin 2` comes before `bin 10` in
 * every locale. Only equal names compare as equal.
 */
export function naturalOrder(a: string, b: string): number {
  const left = parts(a)
  const right = parts(b)
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compare(left[i] as string, right[i] as string)
    if (order !== 0) return order
  }
  return left.length - right.length || codeUnits(a, b)
}

const parts = (name: string): string[] => name.match(/\d+|\D+/g) ?? []
const codeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function compare(a: string, b: string): number {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : codeUnits(a, b)
}

const isNumber = (part: string): boolean => part >= '0' && part < ':'
