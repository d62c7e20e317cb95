/** A text in one line: a break inside a cell would break the table, an escape sequence the terminal. */
export const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')
