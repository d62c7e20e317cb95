/** Options without those that are undefined or false, and without empty lists and objects. */
export const withoutEmpty = (options: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined && value !== false && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0)))
