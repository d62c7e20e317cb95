/** A line of CSV (RFC 4180, but with LF); a value that does not exist is empty. */
export function csvLine(values: readonly (string | number | undefined)[]): string {
  return `${values.map(field).join(',')}\n`
}

function field(value: string | number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return ''
  const text = String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
