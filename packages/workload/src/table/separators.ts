import { splitCsv } from '../slurm/csv.js'

/** What may separate the fields of a line; in CSV some may stand in quotes. */
export const separators = [',', ';', '\t', '|'] as const

/** Quotes count as in CSV, except where a | or what is none of these separates, since `sacct` writes none, and where one is left open. */
export function splitLine(line: string, separator: string): string[] {
  const isPlain = separator === '|' || !(separators as readonly string[]).includes(separator) || (separator !== ',' && line.split('"').length % 2 === 0)
  return isPlain ? line.split(separator) : splitCsv(line, separator)
}

/** The separator that makes the most fields of a line, a comma where none makes two. */
export function separatorIn(line: string): string {
  const counts = separators.map((separator) => splitLine(line, separator).length)
  return separators[counts.indexOf(Math.max(...counts))]!
}
