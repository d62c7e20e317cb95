import type { TicketJobs } from './functional-tickets.js'

/** A user of a share tree: its shares, and what it has used, in slots x seconds. */
export interface TreeUser {
  readonly shares: number
  readonly usage: number
}

/** Smallest usage that counts, for the user of all shares. */
const LEAST_USAGE = 1

/**
 * Share tree tickets of jobs, running ones first, as parts of all tickets. What a user is entitled to is divided evenly among the jobs of the user that
 * run. A job that waits gets all of it over 1 and the slots of the jobs of the user before it: those that run, then those of earlier submission.
 *
 * Source: `calc_job_share_tree_tickets_pass2` and `sge_sort_job_nodes` of Grid Engine's sgeee.c, for a tree of users alone.
 */
export function shareTreeTickets({ running, all, user, slots }: TicketJobs, users: readonly TreeUser[], compensation: number): Float64Array {
  const runs = new Int32Array(users.length)
  const ahead = new Float64Array(users.length).fill(1)
  for (let at = 0; at < running; at++) {
    runs[user[at]!]!++
    ahead[user[at]!]! += slots[at]!
  }
  const isActive = new Uint8Array(users.length)
  for (let at = 0; at < all; at++) isActive[user[at]!] = 1
  const ofRunning = entitlements(users, (each) => runs[each]! > 0, compensation)
  const ofAll = entitlements(users, (each) => isActive[each] === 1, compensation)
  const tickets = new Float64Array(all)
  for (let at = 0; at < running; at++) tickets[at] = ofRunning[user[at]!]! / runs[user[at]!]!
  for (let at = running; at < all; at++) {
    tickets[at] = ofAll[user[at]!]! / ahead[user[at]!]!
    ahead[user[at]!]! += slots[at]!
  }
  return tickets
}

/**
 * What each active user is entitled to now, a part of all: the square of its part of the shares over its usage. Who would get more than `compensation`
 * times its part of the shares, since it has used so little, gets less by the ratio; 0: it does not. The others have 0.
 *
 * Source: `sge_calc_node_targets` of sgeee.c.
 */
function entitlements(users: readonly TreeUser[], isActive: (user: number) => boolean, compensation: number): readonly number[] {
  const shares = users.map((user, i) => (isActive(i) ? user.shares : 0))
  const all = sum(shares)
  const worth = users.map(({ usage }, i) => (shares[i] === 0 ? 0 : shares[i]! ** 2 / Math.max(usage, (LEAST_USAGE * shares[i]!) / all)))
  const first = parts(worth)
  if (compensation === 0) return first
  return parts(worth.map((each, i) => (first[i]! > (compensation * shares[i]!) / all ? (each * compensation * shares[i]!) / all / first[i]! : each)))
}

function parts(values: readonly number[]): number[] {
  const all = sum(values)
  return values.map((value) => (all > 0 ? value / all : 0))
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
