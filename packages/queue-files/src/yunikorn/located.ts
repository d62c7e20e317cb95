import type { KubernetesObject } from '@sched/cluster'
import { SchedError, suggest, type Place } from '@sched/core'
import { OR_LEAVE_OUT, textOf } from '../fields.js'

/** A value of a file with its place, for error messages. All errors are `BAD_INPUT` with the line. */
export class Located {
  readonly value: unknown
  readonly #path: readonly (string | number)[]
  readonly #placeOf: KubernetesObject['place']

  constructor(value: unknown, placeOf: KubernetesObject['place'], path: readonly (string | number)[] = []) {
    this.value = value
    this.#placeOf = placeOf
    this.#path = path
  }

  get place(): Place {
    return this.#placeOf(...this.#path)
  }

  /** Line of the value, 1-based; 1 if the place has no line. */
  get line(): number {
    return this.place.line ?? 1
  }

  /** Whether the value is given: neither absent nor null. */
  get isThere(): boolean {
    return this.value !== undefined && this.value !== null
  }

  /** The value as text for people, empty if it is not given. */
  get text(): string {
    return this.isThere ? textOf(this.value) : ''
  }

  /** The value under a key or at an index, which may be absent. */
  at(key: string | number): Located {
    const inside = typeof this.value === 'object' && this.value !== null ? (this.value as Readonly<Record<string, unknown>>)[key] : undefined
    return new Located(inside, this.#placeOf, [...this.#path, key])
  }

  /** The fields of a mapping with their names; none if it is not given. Throws if it is no mapping or has a name that is not in `known`. */
  fields(known?: readonly string[]): readonly (readonly [string, Located])[] {
    if (!this.isThere) return []
    if (typeof this.value !== 'object' || Array.isArray(this.value)) throw this.error(`found ${this.text}, expected names with values.`, 'Write name: value, one a line.')
    const names = Object.keys(this.value as object)
    const unknown = known === undefined ? undefined : names.find((name) => !known.includes(name))
    if (unknown !== undefined && known !== undefined) throw this.at(unknown).error(`there is no setting "${unknown}" here.`, suggest(unknown, known))
    return names.map((name) => [name, this.at(name)] as const)
  }

  /** The items of a list; none if it is not given. Throws if it is no list. */
  items(): readonly Located[] {
    if (!this.isThere) return []
    if (!Array.isArray(this.value)) throw this.error(`found ${this.text}, expected a list.`, 'Write - before each element, or [] around them.')
    return this.value.map((_, i) => this.at(i))
  }

  /** The value as text; undefined if it is not given. Throws if it is neither text nor a number nor true or false. */
  string(): string | undefined {
    if (!this.isThere) return undefined
    if (typeof this.value !== 'string' && typeof this.value !== 'number' && typeof this.value !== 'boolean') throw this.error(`found ${this.text}, expected text.`, 'Write one word, or several in quotes.')
    return String(this.value)
  }

  /** The value as a whole number; undefined if it is not given. Throws if it is no whole number of at least 0. */
  count(): number | undefined {
    if (!this.isThere) return undefined
    const value = Number(this.string())
    if (!Number.isInteger(value) || value < 0) throw this.error(`found ${this.text}, expected a whole number of at least 0.`, OR_LEAVE_OUT)
    return value
  }

  /** The value as true or false; undefined if it is not given. Throws if it is neither. */
  flag(): boolean | undefined {
    if (!this.isThere) return undefined
    const text = String(this.value)
    if (text !== 'true' && text !== 'false') throw this.error(`found ${this.text}, expected true or false.`, OR_LEAVE_OUT)
    return text === 'true'
  }

  /** An error at the place of the value. */
  error(fact: string, wayOut?: string): SchedError {
    return new SchedError('BAD_INPUT', fact, this.place, wayOut)
  }
}
