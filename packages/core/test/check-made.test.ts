import { describe, expect, it } from 'vitest'
import { defineOrder, definePolicy, type Env, type Order, type Policy } from '../src/index.js'

const sound = { begin: () => undefined, next: () => undefined }
const orderOf = (made: unknown) => () => defineOrder({ name: 'mine', summary: '', create: () => made as Order }).plug({}).create({} as Env)
const told = (...facts: readonly [fact: string, wayOut: string]) => `what create() of the order "mine" returns ${facts.join('. ')}`
const AT_ONCE = 'A run does not wait: let it answer at once.'

describe('a definition', () => {
  it.each<[object, string]>([
    [{ options: { most: 3 } }, 'the options of the order "mine" are no schema. Write them with zod, for example z.strictObject({ most: z.int() }), or leave them out.'],
    [{ options: null }, 'the options of the order "mine" are no schema.'],
    [{ inner: { order: 'ordr' } }, "the order \"mine\" is built around `order` of the kind \"ordr\". Kinds of parts are order, policy and placement, with ? where one may be left out: 'placement?'."],
    [{ inner: { by: undefined } }, 'is built around `by` of the kind undefined.'],
  ])('is not %j', (rest, message) => {
    expect(() => defineOrder({ name: 'mine', summary: '', create: () => sound, ...rest })).toThrow(message)
  })
})

describe('what create() returns', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, told('has no method "begin"', 'Every order has begin() and next().')],
    ['an order without a method', { begin: sound.begin }, told('has no method "next"', 'Every order has begin() and next().')],
    ['a promise', Promise.resolve(sound), told('is a promise', AT_ONCE)],
    ['a method that answers later', { ...sound, next: async () => Promise.resolve() }, told('has an asynchronous method "next"', AT_ONCE)],
    ['a hook that is misspelt', { ...sound, onReddy: () => undefined }, told('has a method "onReddy", which nobody calls', 'Did you mean "onReady"? Begin the name of one of your own in another way.')],
    ['a class with such a hook', new (class { begin = sound.begin; next = sound.next; onSubmitted(): void { this.begin() } })(), told('has a method "onSubmitted", which nobody calls', 'Did you mean "onSubmit"? Begin the name of one of your own in another way.')],
  ])('is not %s', (_, made, message) => {
    expect(orderOf(made)).toThrow(message)
  })

  it('may have hooks, of its own or of its class, and what else it needs', () => {
    class Mine { begin = sound.begin; next = sound.next; onFinish(): void { this.begin() } once(): void { this.begin() } }
    for (const made of [{ ...sound, onSubmit: () => undefined, online: () => undefined, onWhatever: () => undefined, onReadyOf: {} }, new Mine(), Object.assign(Object.create(null) as object, sound)])
      expect(orderOf(made)()).toBe(made)
    const policy = definePolicy({ name: 'mine', summary: '', create: (): Policy => ({ schedule: () => undefined, onCommit: () => undefined }) })
    expect(policy.plug({}).create({} as Env)).toHaveProperty('onCommit')
  })
})
