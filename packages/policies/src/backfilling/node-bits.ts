import { lowestBit } from '@sched/core'

/** Nodes as bits: word `node >> 5`, bit `node & 31`. */
export type NodeBits = Int32Array

export const bitsFor = (nodes: number): NodeBits => new Int32Array((nodes + 31) >> 5)
export const hasBit = (bits: NodeBits, node: number): boolean => ((bits[node >> 5] as number) & (1 << (node & 31))) !== 0
export const setBit = (bits: NodeBits, node: number): void => void (bits[node >> 5] = (bits[node >> 5] as number) | (1 << (node & 31)))

export const clearBit = (bits: NodeBits, node: number): void => void (bits[node >> 5] = (bits[node >> 5] as number) & ~(1 << (node & 31)))

/** How many nodes there are in a set. */
export function countBits(bits: NodeBits): number {
  let count = 0
  for (let w = 0; w < bits.length; w++) count += countWord(bits[w] as number)
  return count
}

/** How many nodes there are in a word. */
export function countWord(bits: number): number {
  let word = bits - ((bits >>> 1) & 0x55555555)
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** How many nodes of a set the condition holds for. */
export function countWhere(bits: NodeBits, holds: (node: number) => boolean): number {
  let count = 0
  for (let w = 0; w < bits.length; w++)
    for (let word = bits[w] as number; word !== 0; word &= word - 1) if (holds((w << 5) + lowestBit(word))) count++
  return count
}
