/** Kueue's resource that counts the pods, here tasks, of a queue. Nodes do not have it. */
export const PODS = 'pods'
