/** Upper-case units are powers of 1024, lower-case units powers of 1000; t and T are of Univa's version. */
const multipliers: Readonly<Record<string, number>> = { '': 1, k: 1e3, K: 2 ** 10, m: 1e6, M: 2 ** 20, g: 1e9, G: 2 ** 30, t: 1e12, T: 2 ** 40 }

const DECIMAL = /^(\d{1,15}(\.\d*)?|\.\d+)(e[-+]?\d{1,2})?$/i

/**
 * An amount or a span of time in seconds as Grid Engine reads it: hours, minutes and seconds between two colons, any of which may be left out; otherwise a
 * decimal number, or after a leading 0 an octal and after 0x a hexadecimal one, perhaps with a unit. `Infinity` for `infinity`; `undefined` for any other text.
 *
 * Source: Grid Engine, `sge_parse_num_val` of sge_parse_num_par.c.
 */
export function numberOf(text: string): number | undefined {
  if (/^infinity$/i.test(text)) return Infinity
  const parts = text.split(':')
  if (parts.length > 1) return parts.length === 3 && parts.every((part) => part === '' || DECIMAL.test(part)) ? parts.reduce((sum, part) => sum * 60 + Number(part), 0) : undefined
  const [, digits = '', unit = ''] = /^(.*?)([kKmMgGtT]?)$/.exec(text) ?? []
  const number = /^0x[\da-f]{1,13}$/i.test(digits) ? Number(digits) : /^0[0-7]{0,17}$/.test(digits) ? Number(`0o${digits}`) : DECIMAL.test(digits) && !/^0\d+$/.test(digits) ? Number(digits) : undefined
  return number === undefined ? undefined : number * (multipliers[unit] as number)
}
