/** A group of nodes of a level. */
export interface Domain {
  readonly level: number
  readonly group: number
  /** Its rank by name among the domains of its level; names of the groups around it count first. */
  readonly rank: number
  readonly inside: Domain[]
}

/** A domain with the number of units that it has room for, or is to take: slices where slices are whole, below that tasks, or slices of the next layer. */
export interface Filled {
  readonly domain: Domain
  readonly units: number
}
