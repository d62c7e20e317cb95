import { expect, it } from 'vitest'
import { textKind } from '../src/trace/looks-like.js'

it.each([
  ['jobs:\n- account: physics\n  time:\n    elapsed: 5\n    submission: 1700000000\n', 'records of Slurm in YAML (sacct --json prints the same as it is read)'],
  ['JobId=7 JobName=x UserId=ann(1000) GroupId=ann(1000) JobState=RUNNING Partition=main TimeLimit=01:00:00 StartTime=2024-01-01T00:00:00\n', 'jobs as scontrol of Slurm writes them (sacct --parsable2 prints those that have ended as a table)'],
  ['             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n                 7      main     test      ann  R       0:10      1 n1\n', 'what squeue prints, of jobs that have not ended (sacct --parsable2 prints those that have)'],
  ['NAMESPACE     NAME         READY   STATUS      RESTARTS   AGE\nml            train-x1     0/1     Completed   0          5m\n', 'what kubectl prints for people (-o json and -o yaml print what is read)'],
  ['NAME        QUEUE      RESERVED IN   ADMITTED   AGE\njob-train   gpus       gpus          True       5m\n', 'what kubectl prints for people (-o json and -o yaml print what is read)'],
  ['JobID           JobName\n------------ ----------\n', 'what sacct prints for people (--parsable2 prints a table)'],
  ['{"format":"sched-workload","version":1}\n{"id":"a","submit":0,"stages":[]}\n', 'a trace of the native format'],
])('a table for people is known for what it is (%#)', (text, kind) => {
  expect(textKind(text)).toBe(kind)
})
