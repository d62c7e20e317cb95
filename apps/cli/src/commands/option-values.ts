import { YamlSource } from '@sched/cluster'
import { SchedError } from '@sched/core'
import { InvalidArgumentError } from 'commander'

// What options are given, as text, and what it means. Each throws what commander reports as a bad argument.

/** A whole number of at least 1, or a file; one that is called as a number is written with its directory: `./2`. */
export const wholeOrFile = (text: string): number | string => (text !== '' && Number.isNaN(Number(text)) ? text : atLeastOne(', or a file')(text))

/** At least 0. */
export function whole(text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text))) throw new InvalidArgumentError('Expected a whole number.')
  return Number(text)
}

/** A whole number; `or`: what else may stand there, for messages. */
export const atLeastOne =
  (or = '') =>
  (text: string): number => {
    if (!/^\d+$/.test(text) || Number(text) === 0 || !Number.isSafeInteger(Number(text))) throw new InvalidArgumentError(`Expected a whole number of at least 1${or}.`)
    return Number(text)
  }

/** Reads a number that is as it must be. */
const numberThat =
  (isRight: (value: number) => boolean, expected: string) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !isRight(value)) throw new InvalidArgumentError(`Expected ${expected}.`)
    return value
  }

export const positive = numberThat((value) => value > 0 && value < Infinity, 'a number above 0')
export const seconds = numberThat((value) => value >= 0 && value < Infinity, 'seconds, a number of at least 0, 3600 for an hour')
export const secondsAbove0 = numberThat((value) => value > 0 && value < Infinity, 'seconds, a number above 0, 3600 for an hour')
export const fraction = numberThat((value) => value >= 0 && value < 1, 'a fraction of at least 0 and below 1')
export const part = numberThat((value) => value >= 0 && value <= 1, 'a number from 0 to 1')

/** Reads names with whole numbers, each once. */
export const amountsAs =
  (example: string) =>
  (text: string): Record<string, number> =>
    Object.fromEntries(pairsOf(text, /^\s*([^=\s]+)\s*=\s*(\d+)\s*$/, `names and whole numbers, for example ${example}`).map(([name, amount]) => [name, Number(amount)]))

/** Reads names with others that they stand for, each once. */
export const namesAs =
  (example: string) =>
  (text: string): Record<string, string> =>
    Object.fromEntries(pairsOf(text, /^\s*([^=]*[^=\s])\s*=\s*([^=]*[^=\s])\s*$/, `names and other names, for example ${example}`))

function pairsOf(text: string, pair: RegExp, expected: string): [name: string, value: string][] {
  const pairs = text.split(',').map((part): [string, string] => {
    const [, name, value] = pair.exec(part) ?? []
    if (name === undefined || value === undefined) throw new InvalidArgumentError(`Expected ${expected}.`)
    return [name, value]
  })
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, i) => names.indexOf(name) < i)
  if (names.includes('__proto__')) throw new InvalidArgumentError('Nothing can be called "__proto__".')
  if (twice !== undefined) throw new InvalidArgumentError(`"${twice}" is there twice.`)
  return pairs
}

/** Seconds `from:to`. */
export function window(text: string): { from: number; to: number } {
  const times = /^\s*([^:\s]+)\s*:\s*([^:\s]+)\s*$/.exec(text)?.slice(1).map(Number) ?? []
  const [start = NaN, end = NaN] = times
  if (!times.every((time) => time >= 0 && time < Infinity) || times.length === 0) throw new InvalidArgumentError('Expected two numbers of seconds, for example 0:3600.')
  if (start >= end) throw new InvalidArgumentError('Expected an end after the start.')
  return { from: start, to: end }
}

/** Words with commas between them. */
export const listed = (text: string): string[] => text.split(',').map((word) => word.trim())

/** One more of an option that may be repeated. */
export const collected = (text: string, before: readonly string[] = []): string[] => [...before, text]

/** `key=value`, added to those before it. */
export function assignment(text: string, before: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === undefined || value === undefined) throw new InvalidArgumentError('Expected key=value.')
  if (key in before) throw new InvalidArgumentError(`"${key}" is there twice.`)
  return { ...before, [key]: yamlValue(value) }
}

/** A value as a file would have it: a number, a word, a list in brackets. Throws what commander reports as a bad argument. */
export function yamlValue(text: string): unknown {
  try {
    return new YamlSource(text).value
  } catch (error) {
    const fact = error instanceof SchedError ? error.fact : String(error)
    throw new InvalidArgumentError(fact.startsWith('is ') ? `The value ${fact}` : fact)
  }
}
