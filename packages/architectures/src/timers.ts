/** Why an architecture asked to be woken; packed with the id concerned into the token of `cell.after`. */
export const Timer = { LetGo: 0, Close: 1, Allocate: 2, Offer: 3, Answer: 4, GiveUp: 5 } as const
export type Timer = (typeof Timer)[keyof typeof Timer]

const KINDS = 8

export const timer = (kind: Timer, id: number): number => id * KINDS + kind
export const kindOf = (token: number): number => token % KINDS
export const idOf = (token: number): number => Math.floor(token / KINDS)
