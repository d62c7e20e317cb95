import { keyOf, type Play } from './play.js'
import { outagesOf } from './world.js'

/** Nothing starts on a node while it is away, and what ran there when it failed ended then. */
export function outages({ recorder, world, model }: Play): string | undefined {
  const away = outagesOf(world, model.nodes).map((outage) => ({ ...outage, name: model.nodeNames[outage.node] }))
  for (const event of recorder.events) {
    if (event.kind === 'launch') {
      const outage = away.find(({ name, from, to }) => name === event.node && from <= event.time && event.time < to)
      if (outage !== undefined) return `${keyOf(event)} starts at ${event.time} s on ${event.node}, which is away from ${outage.from} s to ${outage.to} s`
    }
    if (event.kind === 'end') {
      const outage = away.find(({ name, from, drain }) => name === event.node && drain !== true && event.started < from && from < event.time)
      if (outage !== undefined) return `${keyOf(event)} ends at ${event.time} s on ${event.node}, which failed at ${outage.from} s`
    }
  }
  return undefined
}
