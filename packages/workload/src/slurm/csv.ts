/**
 * Splits a line of CSV (RFC 4180), or of a table with another separator, into fields. A field in quotes may contain separators and doubled quotes,
 * but no line ends.
 */
export function splitCsv(line: string, separator = ','): string[] {
  if (!line.includes('"')) return line.split(separator)
  const fields: string[] = []
  for (let at = 0; at <= line.length; ) {
    const [field, next] = line[at] === '"' ? quoted(line, at + 1, separator) : plain(line, at, separator)
    fields.push(field)
    at = next + 1
  }
  return fields
}

function plain(line: string, from: number, separator: string): [field: string, comma: number] {
  const comma = line.indexOf(separator, from)
  return comma === -1 ? [line.slice(from), line.length] : [line.slice(from, comma), comma]
}

function quoted(line: string, from: number, separator: string): [field: string, comma: number] {
  let field = ''
  for (let at = from; ; ) {
    const quote = line.indexOf('"', at)
    if (quote === -1) return [field + line.slice(at), line.length]
    field += line.slice(at, quote)
    if (line[quote + 1] !== '"') {
      const [rest, comma] = plain(line, quote + 1, separator)
      return [field + rest, comma]
    }
    field += '"'
    at = quote + 2
  }
}
