import { splitCsv } from '../slurm/csv.js'

/** Separators of the fields of a line. */
export const separators = [',', ';', '\t', '|'] as const

/**
 * Splits a line into fields. Quotes count as in CSV, except if the separator is | or none of `separators`, since `sacct` writes no quotes, or if it
 * is another one than a comma and a quote is left open.
 */
export function splitLine(line: string, separator: string): string[] {
  const isPlain = separator === '|' || !(separators as readonly string[]).includes(separator) || (separator !== ',' && line.split('"').length % 2 === 0)
  return isPlain ? line.split(separator) : splitCsv(line, separator)
}

/** The separator that gives the most fields in a line; a comma if none gives two. */
export function separatorIn(line: string): string {
  const counts = separators.map((separator) => splitLine(line, separator).length)
  return separators[counts.indexOf(Math.max(...counts))]!
}
