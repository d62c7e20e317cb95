/** A table from known words to their meanings. It has no other keys, not even inherited properties such as `constructor`. */
export const knownWords = <T>(table: Readonly<Record<string, T>>): Readonly<Record<string, T>> => Object.assign(Object.create(null) as Record<string, T>, table)
