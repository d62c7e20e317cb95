/** A table of what known words mean. No other word is in it, also none that every object has a property of, such as `constructor`. */
export const knownWords = <T>(table: Readonly<Record<string, T>>): Readonly<Record<string, T>> => Object.assign(Object.create(null) as Record<string, T>, table)
