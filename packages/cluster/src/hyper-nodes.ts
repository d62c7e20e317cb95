import { adviseWord, ownValue, SchedError } from '@sched/core'
import { listIn, objectIn, type Json, type KubernetesObject } from './kubernetes-objects.js'
import { isQualifiedName } from './qualified-name.js'

/** A HyperNode of Volcano: a group of nodes, or of other groups. */
interface HyperNode {
  readonly name: string
  readonly tier: number
  readonly hasNode: (name: string, labels: Json) => boolean
  readonly hasGroup: (name: string) => boolean
}

/**
 * Returns a function from a node to its groups by HyperNodes, one for each tier from the lowest up. A node without a group in some tier repeats the
 * group of the tier below; `undefined`: it is in no HyperNode.
 *
 * Source: Volcano, HyperNode (topology.volcano.sh). Deviation: of label selectors only `matchLabels` counts.
 */
export function hyperNodesIn(objects: readonly KubernetesObject[]): (name: string, labels: Json) => readonly string[] | undefined {
  const all = objects.filter(({ kind }) => kind === 'HyperNode').map(read).sort((a, b) => a.tier - b.tier)
  const tiers = [...new Set(all.map(({ tier }) => tier))]
  return (name, labels) => {
    const path: string[] = []
    let last = all.find((each) => each.hasNode(name, labels))
    if (last === undefined) return undefined
    for (const tier of tiers) {
      const below: HyperNode = last
      if (tier > last.tier) last = all.find((each) => each.tier === tier && each.hasGroup(below.name)) ?? last
      path.push(last.name)
    }
    return path
  }
}

function read({ object, place }: KubernetesObject): HyperNode {
  const { tier, members } = objectIn(object['spec'])
  const name = objectIn(object['metadata'])['name']
  if (typeof name !== 'string' || !Number.isInteger(tier)) throw new SchedError('BAD_INPUT', 'is missing.', place(...(typeof name === 'string' ? ['spec', 'tier'] : ['metadata', 'name'])), 'Give HyperNodes a name and a tier.')
  const tests = listIn(members).map(({ type, selector }, i) => {
    if (type !== 'Node' && type !== 'HyperNode') throw new SchedError('BAD_INPUT', `found ${JSON.stringify(type ?? null)}, expected Node or HyperNode.`, place('spec', 'members', i, 'type'), adviseWord(type, ['Node', 'HyperNode']))
    return { type, test: testOf(objectIn(selector), () => place('spec', 'members', i, 'selector')) }
  })
  const of = (wanted: string) => tests.flatMap(({ type, test }) => (type === wanted ? [test] : []))
  const [nodes, groups] = [of('Node'), of('HyperNode')]
  return { name, tier: tier as number, hasNode: (node, labels) => nodes.some((test) => test(node, labels)), hasGroup: (group) => groups.some((test) => test(group, {})) }
}

const WAYS = ['exactMatch', 'regexMatch', 'labelMatch']

/** Source: Volcano, validateHyperNode. */
function testOf(selector: Json, place: () => ReturnType<KubernetesObject['place']>): (name: string, labels: Json) => boolean {
  const [exact, pattern, labelled] = [objectIn(selector['exactMatch'])['name'], objectIn(selector['regexMatch'])['pattern'], objectIn(objectIn(selector['labelMatch'])['matchLabels'])]
  const ways = WAYS.filter((way) => (selector[way] ?? undefined) !== undefined)
  if (ways.length !== 1) throw new SchedError('BAD_INPUT', ways.length === 0 ? 'selects nothing.' : `has ${ways.join(' and ')}.`, place(), `Give one of ${WAYS.join(', ')}.`)
  if (ways[0] === 'exactMatch' && !(typeof exact === 'string' && isQualifiedName(exact))) throw new SchedError('BAD_INPUT', `found ${JSON.stringify(exact ?? null)}, expected the name of a member.`, place(), 'Write the name of the node or HyperNode: exactMatch: { name: ... }.')
  const noPattern = () => new SchedError('BAD_INPUT', `found ${JSON.stringify(pattern ?? null)}, expected a regular expression.`, place(), 'Write for example regexMatch: { pattern: "^node-[0-9]+$" }, with a backslash before a bracket that is meant as such.')
  if (ways[0] === 'regexMatch' && (typeof pattern !== 'string' || pattern === '')) throw noPattern()
  if (typeof exact === 'string') return (name) => name === exact
  const wanted = Object.entries(labelled)
  if (typeof pattern !== 'string') return (_, labels) => wanted.length > 0 && wanted.every(([key, value]) => ownValue(labels, key) === value)
  try {
    const expression = new RegExp(pattern)
    return (name) => expression.test(name)
  } catch {
    throw noPattern()
  }
}
