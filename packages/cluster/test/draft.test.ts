import { None, Reason, type NodeId } from '@sched/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { lane, live, n0, n1, n2, nodes, smallCell, task } from './small-cell.js'

let { cell, draft, events, hooks, a, b, free, counts } = smallCell()
beforeEach(() => void ({ cell, draft, events, hooks, a, b, free, counts } = smallCell()))

describe('a claim', () => {
  it('counts at once against what is free and what is pending, and starts at the commit', () => {
    draft.begin(5, lane, nodes)
    expect(draft.claim(task(0), n1)).toBe(true)
    expect([free(), counts(), draft.pending, draft.claims, events]).toEqual([[2, 1, 2], [3, 1, 2, 0], 5, 1, []])
    expect(draft.commit(live)).toEqual({ now: 5, accepted: [0], conflicted: [] })
    expect(events).toEqual(['start 0 on 1'])
  })

  it('is refused, and changes nothing, where it does not fit or the node is not in sight', () => {
    draft.begin(0, lane, [n0])
    expect([draft.claim(task(0), n0), draft.claim(task(1), n0), draft.claim(task(2), n0), draft.claim(task(2), n1)]).toEqual([true, true, false, false])
    expect([free(), counts(), draft.room(n0)]).toEqual([[0, 2, 2], [2, 2, 2, 0], false])
  })

  it('of a task that is not unplaced is a broken contract', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    expect(() => draft.claim(task(0), n1)).toThrow('task 0 is claimed but not unplaced. Claim what `work.taskFor` of the round gives')
  })

  it.each([[nodes], [[n0]]])('on no node of the cluster is a broken contract, with %j in sight', (inSight) => {
    draft.begin(0, lane, inSight)
    for (const node of [3, -2, 0.5, NaN, undefined])
      expect(() => draft.claim(task(0), node as NodeId)).toThrow(`task 0 is claimed on node ${node}, and the cluster has nodes 0 to 2. Claim on nodes of the round; a placement that finds none picks None (-1).`)
    expect([draft.claim(task(0), None as NodeId), free(), counts()]).toEqual([false, [2, 2, 2], [4, 0, 2, 0]])
  })

  it('raises the version of its node when it is committed', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n1)
    draft.claim(task(1), n1)
    expect(nodes.map((node) => cell.version(node))).toEqual([0, 0, 0])
    draft.commit(live)
    expect(nodes.map((node) => cell.version(node))).toEqual([0, 2, 0])
  })
})

describe('limits of a round', () => {
  it('allow so many claims; a claim taken back counts no more', () => {
    draft.begin(0, lane, nodes, { claims: 2 })
    draft.claim(task(0), n0)
    const before = draft.savepoint()
    expect([draft.claim(task(1), n1), draft.claim(task(2), n2), draft.room(n2)]).toEqual([true, false, false])
    draft.rollback(before)
    expect([draft.room(n2), draft.claim(task(2), n2)]).toEqual([true, true])
  })

  it('allow so many jobs to be taken up; the one taken last stays allowed', () => {
    draft.begin(0, lane, nodes, { jobs: 1 })
    expect([draft.jobsLeft, draft.take(a), draft.jobsLeft, draft.take(a), draft.take(b), draft.claim(task(4), n0), draft.claim(task(0), n0)]).toEqual([1, true, 0, true, false, false, true])
    expect(draft.taken).toBe(a)
  })

  it('allow one job only', () => {
    draft.begin(0, lane, nodes, { only: b })
    expect([draft.take(a), draft.claim(task(0), n0), draft.claim(task(4), n0)]).toEqual([false, false, true])
  })

  it('allow so much of every resource; what is taken back may be claimed again', () => {
    draft.begin(0, lane, nodes, { amounts: [2] })
    draft.claim(task(0), n0)
    const before = draft.savepoint()
    expect([draft.claim(task(1), n1), draft.claim(task(2), n2)]).toEqual([true, false])
    draft.rollback(before)
    expect([draft.claim(task(2), n2), draft.claim(task(3), n2), free()]).toEqual([true, false, [1, 2, 1]])
  })

  it('may only ask which job would be taken up', () => {
    draft.begin(0, lane, nodes, { jobs: 1, peek: true })
    expect([draft.claimsLeft, draft.room(n0), draft.claim(task(4), n0), draft.taken, draft.room(n0)]).toEqual([0, true, false, b, false])
    expect([free(), counts(), draft.commit(live).accepted]).toEqual([[2, 2, 2], [4, 0, 2, 0], []])
  })

  it('may be raised while the round goes on, on other nodes and later', () => {
    draft.begin(0, lane, [n0], { jobs: 1 })
    const { serial } = draft
    draft.claim(task(0), n0)
    expect([draft.claim(task(4), n0), draft.claim(task(1), n1)]).toEqual([false, false])
    draft.goOn(3, 1, nodes)
    expect([draft.now, draft.jobsLeft, draft.taken, draft.serial > serial]).toEqual([3, 1, -1, true])
    expect([draft.claim(task(4), n1), draft.claim(task(1), n1)]).toEqual([true, false])
    expect(draft.commit(live)).toEqual({ now: 3, accepted: [0, 4], conflicted: [] })
  })

  it('hold for one round', () => {
    draft.begin(0, lane, nodes, { claims: 0, jobs: 0 })
    expect(draft.claim(task(0), n0)).toBe(false)
    draft.commit(live)
    draft.begin(0, lane, nodes)
    expect(draft.claim(task(0), n0)).toBe(true)
  })
})

describe('a rehearsal', () => {
  it('claims on nodes that are not in sight, with the limit of a round each, and takes all back', () => {
    draft.begin(0, lane, [n0], { claims: 1, reach: nodes })
    draft.claim(task(0), n0)
    const seen: unknown[] = []
    draft.rehearse((see) => {
      seen.push(draft.claim(task(1), n0))
      see([n1])
      seen.push(draft.claim(task(1), n1), draft.claim(task(2), n1), draft.claim(task(2), n2))
      see([n2])
      seen.push(draft.claim(task(4), n2), draft.nodes, free())
    })
    // the limit of 1 is used up on n0; then 1 on n1, and there neither a second one nor one on n2; then 1 on n2
    expect(seen).toEqual([false, true, false, false, true, [n2], [1, 1, 1]])
    expect(free()).toEqual([1, 2, 2])
    expect([draft.nodes, draft.claims, draft.claimsLeft, draft.taken]).toEqual([[n0], 1, 0, a])
    expect(hooks).toEqual(['claim 0', 'claim 1', 'claim 4', 'withdrawn 4', 'withdrawn 1'])
    draft.commit(live)
    expect(events).toEqual(['start 0 on 0'])
  })
})

describe('a closed round', () => {
  it('refuses every call that would change something', () => {
    draft.begin(0, lane, nodes)
    draft.commit(live)
    const calls = [() => draft.claim(task(0), n0), () => draft.evict(task(0)), () => draft.take(a), () => draft.savepoint(), () => draft.rollback(0 as never), () => draft.reserve(a, 1), () => draft.wakeAt(1), () => draft.suspend(), () => draft.commit(live)]
    for (const call of calls) expect(call).toThrow(expect.objectContaining({ code: 'ROUND_CLOSED' }))
  })

  it('refuses to take up the job it took last', () => {
    draft.begin(0, lane, nodes)
    draft.take(a)
    draft.commit(live)
    expect(() => draft.take(a)).toThrow(expect.objectContaining({ code: 'ROUND_CLOSED' }))
  })

  it('must be closed before the next one opens', () => {
    draft.begin(0, lane, nodes)
    expect(() => draft.begin(1, lane, nodes)).toThrow('a round was opened before the one before it was closed. Commit or abandon each')
  })

  it('leaves nothing behind when it was abandoned', () => {
    draft.begin(0, lane, nodes)
    draft.claim(task(0), n0)
    draft.abandon()
    expect([free(), counts(), events]).toEqual([[2, 2, 2], [4, 0, 2, 0], []])
    draft.begin(1, lane, nodes)
    expect(draft.commit(live).accepted).toEqual([])
  })
})

describe('a rollback', () => {
  it('goes to a savepoint of the same round that was not taken back', () => {
    draft.begin(0, lane, nodes)
    const [before, , after] = [draft.savepoint(), draft.claim(task(0), n0), draft.savepoint()]
    draft.rollback(after)
    draft.rollback(before)
    for (const none of [after, -1, NaN, undefined])
      expect(() => { draft.rollback(none as typeof after) }).toThrow(`a rollback to ${none}, which is no savepoint of this round or was taken back. Roll back to what \`savepoint\` returned in the same round.`)
    expect([free(), counts()]).toEqual([[2, 2, 2], [4, 0, 2, 0]])
  })
})

describe('what a round passes on', () => {
  it.each([NaN, undefined, '5'])('is not the time %j, which would never come', (time) => {
    draft.begin(0, lane, nodes)
    expect(() => { draft.wakeAt(time as number) }).toThrow(`wakeAt was given the time ${time}. Give seconds from the start of the run.`)
    expect(() => { draft.reserve(a, time as number) }).toThrow(`reserve was given the time ${time}. Give seconds from the start of the run.`)
    expect(events).toEqual([])
  })

  it('are reservations, deferrals and wakes', () => {
    draft.begin(0, lane, nodes)
    draft.reserve(b, 12)
    draft.defer(a, Reason.Locality)
    draft.wakeAt(7)
    expect([draft.explained, events]).toEqual([true, ['reserve 1 at 12', 'defer 0 for 1', 'wake at 7']])
  })
})
