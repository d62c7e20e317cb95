import { splitCsv } from '../slurm/csv.js'

/** What may separate the fields of a line; in CSV some may stand in quotes. */
export const separators = [',', ';', '\t', '|'] as const

export const splitLine = (line: string, separator: string): string[] => (separator === ',' ? splitCsv(line) : line.split(separator))

/** The separator that makes the most fields of a line, a comma where none makes two. */
export function separatorIn(line: string): string {
  const counts = separators.map((separator) => splitLine(line, separator).length)
  return separators[counts.indexOf(Math.max(...counts))]!
}
