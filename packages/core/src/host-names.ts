/** Most hosts that a list may name; more are taken for a mistake. */
const MOST_HOSTS = 1_000_000

/** The parts of a list of hosts, each with its brackets. */
export const partsOfHosts = (list: string): string[] => list.split(/[,\s]+(?![^[]*\])/).filter((part) => part !== '')

/**
 * The names that a list of hosts stands for, as Slurm writes it: `a1,b[01-03,7]-ib` is a1, b01-ib, b02-ib, b03-ib and b7-ib. A name may have several brackets, and
 * blanks may stand in place of commas. Throws what `bad` makes of what is wrong with it.
 */
export const hostNames = (list: string, bad: (fact: string) => Error): string[] => partsOfHosts(list).flatMap((part) => expanded(part, bad))

function expanded(part: string, bad: (fact: string) => Error): string[] {
  const found = /^([^[\]]*)\[([^[\]]*)\](.*)$/.exec(part)
  if (found === null) {
    if (/[[\]]/.test(part)) throw bad(`has a bracket without its other in ${JSON.stringify(part)}.`)
    return [part]
  }
  const [, before = '', inside = '', after = ''] = found
  const numbers = inside.split(',').flatMap((range) => numbersOf(range, bad))
  const rests = expanded(after, bad)
  if (numbers.length * rests.length > MOST_HOSTS) throw bad(`names more than ${MOST_HOSTS} hosts.`)
  return numbers.flatMap((number) => rests.map((rest) => `${before}${number}${rest}`))
}

/** The numbers of a range, as long as the first one with its leading zeros. */
function numbersOf(range: string, bad: (fact: string) => Error): string[] {
  const [first, last = first, ...more] = range.trim().split('-')
  if (first === undefined || last === undefined || more.length > 0 || !/^\d+$/.test(first) || !/^\d+$/.test(last) || BigInt(first) > BigInt(last))
    throw bad(`found the range ${JSON.stringify(range)}, expected a number, or two with a - between them.`)
  const from = BigInt(first) // serial numbers may be beyond the integers that a number holds
  const count = BigInt(last) - from + 1n
  if (count > MOST_HOSTS) throw bad(`names more than ${MOST_HOSTS} hosts.`)
  return Array.from({ length: Number(count) }, (_, i) => String(from + BigInt(i)).padStart(first.length, '0'))
}
