import { SchedError, type Defined, type JobBlock, type Order, type Round } from '@sched/core'

/** Jobs that one listing may give above the tasks that wait, so that an order which gives some of them again is none that never ends. */
const SPARE = 1_000_000

/**
 * An order whose listings end: without the `undefined` of `next()` its reader would go on for ever. That of a plug-in alone, since it costs a call more
 * per block. Its methods throw `BROKEN_CONTRACT` where a listing goes on and on, or gives what is no block.
 */
export const endingOrder = (definition: Defined<'order'>): Defined<'order'> => ({
  ...definition,
  plug(...given) {
    const plug = definition.plug(...given)
    return { ...plug, create: (env) => ending(plug.create(env), definition.name) }
  },
})

/** Changes the object itself, which may have more than the methods of an order. */
function ending(order: Order, name: string): Order {
  const [begin, next] = [order.begin.bind(order), order.next.bind(order)]
  let [listed, most] = [0, SPARE]
  return Object.assign(order, {
    begin(round: Round): void {
      ;[listed, most] = [0, round.pending + SPARE]
      begin(round)
    },
    next(): JobBlock | undefined {
      const block = next()
      if (block === undefined) return block
      if (!isBlock(block)) throw broken(name, `returned ${JSON.stringify(block)}, which is no block of jobs`)
      listed += Math.max(1, block.to - block.from)
      if (listed > most) throw broken(name, `went on for more than ${SPARE} jobs in one listing`)
      return block
    },
  })
}

const isBlock = (block: Partial<JobBlock> | null): block is JobBlock => typeof block?.ids === 'object' && Number.isInteger(block.from) && Number.isInteger(block.to)

const broken = (name: string, fact: string) => new SchedError('BROKEN_CONTRACT', `next() of the order "${name}" ${fact}.`, {}, 'Let it return { ids, from, to }, and undefined at the end of the list.')
