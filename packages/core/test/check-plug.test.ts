import { describe, expect, it } from 'vitest'
import { checkPlug, defineOrder, definePolicy, type OptionsSchema } from '../src/index.js'

const empty = { begin: () => undefined, next: () => undefined }
const fifo = defineOrder({ name: 'fifo', summary: '', create: () => empty })
const greedy = definePolicy({ name: 'greedy', summary: '', inner: { order: 'order' }, create: () => ({ schedule: () => undefined }) })

/** What a program without types is told. */
const told = (value: unknown) => {
  try {
    checkPlug('policy', value, 'policy')
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

describe('a plug given by a program without types', () => {
  it('is what was asked for', () => expect(told(greedy.plug({ order: fifo.plug({}) }))).toBe('accepted'))

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'policy: is missing, and a policy is needed. Give one, for example greedy(fifo()).'],
    ['a name', 'fifo', 'policy: is "fifo", and a policy is needed. Give one, for example greedy(fifo()).'],
    ['a function', function fair() {}, 'policy: is the function fair, and a policy is needed. Call it, for example greedy(fifo()).'],
    ['a definition', greedy, 'policy: is the definition "greedy", and a policy is needed. Make a plug of it: `.plug(parts, options)`.'],
    ['an order', fifo.plug({}), 'policy: is the order "fifo", and a policy is needed. An order runs under a discipline, for example greedy(fifo()).'],
    ['a configuration', { fifo: {} }, 'policy: is {"fifo":{}}, and a policy is needed. Give one, for example greedy(fifo()).'],
  ])('is %s: said so', (_, value, message) => expect(told(value)).toBe(message))

  it('is checked inside others, too', () => {
    expect(() => greedy.plug({ order: greedy.plug({ order: fifo.plug({}) }) as never })).toThrow('greedy.order: is the policy "greedy", and an order is needed. Give one, for example fifo().')
  })
})

describe('the options of a plug in code', () => {
  it('have the type of what the schema takes, and may be read-only', () => {
    const most = definePolicy({
      name: 'most',
      summary: '',
      options: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { tasks: number; users: string[] } }), types: undefined as { input: { tasks: number; users?: string[] }; output: { tasks: number; users: string[] } } | undefined } },
      create: ({ tasks, users }) => ({ schedule: () => void [tasks, users] }),
    })
    expect(most.plug({}, { tasks: 3, users: ['ann'] as readonly string[] }).name).toBe('most')
    // @ts-expect-error a word is no number
    expect(most.plug({}, { tasks: 'three' }).name).toBe('most')
  })

  it('have to be given where one of them is needed', () => {
    type Needed = { readonly tasks: number; readonly user?: string }
    const schema: OptionsSchema<Needed, Needed> = { '~standard': { version: 1, vendor: 'test', validate: (value) => ('tasks' in (value as object) ? { value: value as Needed } : { issues: [{ message: 'is missing', path: ['tasks'] }] }) } }
    const needing = defineOrder({ name: 'needing', summary: '', options: schema, create: () => ({ begin: () => undefined, next: () => undefined }) })
    expect(needing.plug({}, { tasks: 1 }).name).toBe('needing')
    // @ts-expect-error a program without types is told at run time
    expect(() => needing.plug({})).toThrow('needing.tasks: is missing')
  })
})
