/** A name of at most so many characters. */
export const cut = (name: string, most: number): string => (name.length > most ? `${name.slice(0, most - 1)}…` : name)
