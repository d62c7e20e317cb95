import { describe, expect, it } from 'vitest'
import { defineOrder, definePlacement, definePolicy, Registry, resolve, type Env, type OptionsSchema, type Plug } from '../src/index.js'

/** A schema as a plug-in without any library writes it: numbers by name, with defaults; other names are refused. */
const numbers = (defaults: Readonly<Record<string, number>>): OptionsSchema<Readonly<Record<string, number>>> => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      for (const [name, each] of Object.entries(value as object)) {
        if (!Object.hasOwn(defaults, name)) return { issues: [{ message: `unknown option ${name}`, path: [name] }] }
        if (typeof each !== 'number') return { issues: [{ message: 'expected a number', path: [{ key: name }] }] }
      }
      return { value: { ...defaults, ...(value as object) } }
    },
  },
})

const order = (name: string) =>
  defineOrder({ name, summary: '', options: numbers({ weight: 1 }), create: (options) => Object.assign({ begin: () => undefined, next: () => undefined }, { text: `${name}(${options['weight']})` }) })
const textOf = (plug: Plug<'order' | 'placement' | 'policy'> | undefined): string => (plug === undefined ? '-' : ((plug.create({} as Env) as unknown as { text: string }).text))
const wrapper = (name: string, defaults: Record<string, string>) =>
  definePolicy({
    name,
    summary: '',
    options: numbers({ wait: 5 }),
    inner: { order: 'order', placement: 'placement?' },
    defaults,
    create: (options, _, parts) => Object.assign({ schedule: () => undefined }, { text: `${name}(${options['wait']}, ${textOf(parts.order)}, ${textOf(parts.placement)})` }),
  })

const registry = new Registry()
  .add(order('fifo'))
  .add(order('fair'))
  .add(wrapper('greedy', { order: 'fifo', placement: 'first' }))
  .add(wrapper('delay', { order: 'fair' }))
  .add(definePlacement({ name: 'first', summary: '', options: numbers({}), create: () => Object.assign({ pick: () => -1 as const }, { text: 'first' }) }))
  .addPreset({ kind: 'policy', name: 'slow', summary: '', config: { delay: { wait: 60, order: { fair: { weight: 3 } } } } })

const built = (config: unknown) => {
  const plug = resolve(registry, 'policy', config)
  return [plug.name, textOf(plug)]
}
const mistake = (config: unknown): string => {
  try {
    resolve(registry, 'policy', config)
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('resolve', () => {
  it('builds what a name or a tree of names and options says, with defaults for what is left out', () => {
    expect(built('delay')).toEqual(['delay', 'delay(5, fair(1), -)'])
    expect(built({ delay: { wait: 2, order: { fair: { weight: 3 } }, placement: 'first' } })).toEqual(['delay', 'delay(2, fair(3), first)'])
    expect(built({ delay: null })).toEqual(built('delay'))
    expect(built({ delay: { order: 'fifo' } })).toEqual(['delay', 'delay(5, fifo(1), -)'])
  })

  it.each(['delay(wait=2', 'delay:wait=2', 'delay (wait=2)', 'slow(wait=2)'])('says how options are written of a known name with something behind it: %s', (name) => {
    const own = /^\w+/.exec(name)![0]
    expect(() => built(name)).toThrow(`no policy is called "${name}". Write options as a mapping, { ${own}: { option: value } }.`)
    expect(() => built('dely(wait=2)')).toThrow('Known: delay, fair, fifo, greedy, slow.')
  })

  it('refuses the one name under which nothing would be set', () => {
    const queues = JSON.parse('{ "a": {}, "__proto__": { "weight": 3 } }') as unknown
    expect(mistake({ delay: { order: { fair: { queues } } } })).toBe('policy.delay.order.fair.queues.__proto__: nothing can be set under the name "__proto__". Take another name.')
    const circular: Record<string, unknown> = {}
    expect(mistake({ delay: { wait: Object.assign(circular, { circular }) } })).toContain('expected a number')
  })

  it('takes no options where a definition has no schema', () => {
    const plain = [
      defineOrder({ name: 'plain', summary: '', create: () => ({ begin: () => undefined, next: () => undefined }) }),
      definePolicy({ name: 'bare', summary: '', inner: { order: 'order' }, create: (_, env, { order }) => ({ schedule: (round) => order.create(env).begin(round) }) }),
    ] as const
    const own = plain.reduce((all, each) => all.add(each as never), new Registry())
    expect(resolve(own, 'policy', { bare: { order: 'plain' } }).create({} as Env)).toEqual({ schedule: expect.any(Function) as unknown })
    expect(plain[0].plug({}).name).toBe('plain')
    expect(() => resolve(own, 'policy', { bare: { order: { plain: { most: 3 } } } })).toThrow('policy.bare.order.plain.most: unknown key "most"; it has no options. Leave it out.')
    expect(() => plain[0].plug({}, { most: 3 })).toThrow('plain.most: unknown key "most"; it has no options. Leave it out.')
  })

  it('asks for a part that is needed and has no default, in files as in code', () => {
    const bare = wrapper('bare', {})
    expect(() => resolve(new Registry().add(bare), 'policy', 'bare')).toThrow('policy.bare.order: "bare" has no `order`, which it is built around. Give one.')
    expect(() => bare.plug({ placement: undefined } as never)).toThrow('bare.order: "bare" has no `order`')
  })

  it('runs an order named as a policy under greedy, by the name of the order', () => {
    expect(built('fair')).toEqual(['fair', 'greedy(5, fair(1), first)'])
    expect(built({ fair: { weight: 4 } })).toEqual(['fair', 'greedy(5, fair(4), first)'])
  })

  it('writes a preset out, options laid over those of its outermost part', () => {
    expect(built('slow')).toEqual(['slow', 'delay(60, fair(3), -)'])
    expect(built({ slow: { wait: 7 } })).toEqual(['slow', 'delay(7, fair(3), -)'])
    expect(built({ slow: { order: 'fifo' } })).toEqual(['slow', 'delay(60, fifo(1), -)'])
  })

  it('builds a new part for every run from one plug', () => {
    const plug = resolve(registry, 'policy', 'delay')
    expect(plug.create({} as Env)).not.toBe(plug.create({} as Env))
  })

  it('answers an unknown name with the nearest known one and all there are, orders and presets included', () => {
    expect(mistake('delai')).toBe('policy: no policy is called "delai". Did you mean "delay"? Known: delay, fair, fifo, greedy, slow.')
    expect(mistake({ delay: { order: 'fiffo' } })).toBe('policy.delay.order: no order is called "fiffo". Did you mean "fifo"? Known: fair, fifo.')
    expect(mistake({ delay: { order: 'xyzzy' } })).toBe('policy.delay.order: no order is called "xyzzy". Known: fair, fifo.')
  })

  it('names the whole path of a wrong option', () => {
    expect(mistake({ delay: { wait: 'long' } })).toMatch(/^policy\.delay\.wait: expected a number/)
    expect(mistake({ delay: { order: { fair: { wait: 1 } } } })).toMatch(/^policy\.delay\.order\.fair\.wait: unknown option wait/)
    expect(mistake({ slow: { speed: 1 } })).toMatch(/^policy\.delay\.speed: unknown option speed/)
  })

  it('does not take the names that every object has for parts', () => {
    expect(mistake({ delay: { constructor: 1 } })).toMatch(/^policy\.delay\.constructor: unknown option/)
  })

  it.each([
    [{ delay: {}, fair: {} }, /expected the name of one policy, found \{"delay"/],
    [{}, /expected the name of one policy, found \{\}/],
    [undefined, /found nothing/],
    [['delay'], /found \["delay"\]/],
    [7, /found 7/],
    [{ delay: 5 }, /^policy\.delay: the options of "delay" are 5/],
    [{ delay: ['fair'] }, /the options of "delay" are \["fair"\]/],
  ])('refuses %j', (config, message) => {
    expect(mistake(config)).toMatch(message)
  })
})

describe('Registry', () => {
  it('lists what it has by kind, in order of names', () => {
    expect([registry.names('order'), registry.names('policy'), registry.names('architecture')]).toEqual([['fair', 'fifo'], ['delay', 'greedy'], []])
    expect(registry.list('order').map(({ name }) => name)).toEqual(['fair', 'fifo'])
    expect(registry.presets('policy').map(({ name }) => name)).toEqual(['slow'])
  })

  it('refuses a name that is taken, by a definition or a preset, but not one of another kind', () => {
    const own = () => new Registry().add(order('fifo')).addPreset({ kind: 'order', name: 'quick', summary: '', config: 'fifo' })
    expect(() => own().add(order('fifo'))).toThrow(expect.objectContaining({ code: 'TAKEN_NAME', message: expect.stringMatching(/order "fifo" is already registered. Give/) }))
    for (const name of ['fifo', 'quick']) expect(() => own().addPreset({ kind: 'order', name, summary: '', config: 'fifo' })).toThrow(/already registered/)
    expect(own().add(wrapper('fifo', {})).has('policy', 'fifo')).toBe(true)
  })

  it('refuses a definition with the name of a preset, which it would hide', () => {
    const own = new Registry().add(order('fifo')).addPreset({ kind: 'order', name: 'quick', summary: '', config: 'fifo' })
    expect(() => own.add(order('quick'))).toThrow(/order "quick" is already registered/)
  })

  it('answers an unknown name with the nearest known', () => {
    expect(() => registry.get('order', 'fiffo')).toThrow(expect.objectContaining({ code: 'UNKNOWN_NAME', message: expect.stringMatching(/Did you mean "fifo"/) }))
  })
})

describe('a definition', () => {
  it('checks its options when the plug is made, not when the run starts', () => {
    expect(() => order('fifo').plug({}, { weight: 'much' })).toThrow(/^fifo\.weight: expected a number/)
  })

  it('refuses a schema that answers later', () => {
    const late: OptionsSchema<unknown> = { '~standard': { version: 1, vendor: 'test', validate: () => Promise.resolve({ value: 1 }) } }
    expect(() => defineOrder({ name: 'late', summary: '', options: late, create: () => ({ begin: () => undefined, next: () => undefined }) }).plug({})).toThrow(/validated asynchronously/)
  })
})
