import { describe, expect, it } from 'vitest'
import { detectFormatOf, jobsOf, parseTrace, traceFormats } from '../src/index.js'
import { bytesOf } from './reading.js'

/** Two jobs or more of each format, as short as it goes. */
const samples: Readonly<Record<string, string>> = {
  'sched-workload': '{"format":"sched-workload","version":1}\n{"id":"a","submit":0,"stages":[{"name":"s","tasks":1,"demand":{"cpu":1},"duration":5}]}\n{"id":"b","submit":1,"stages":[{"name":"s","tasks":1,"demand":{"cpu":1},"duration":5}]}\n',
  sparrow: '0 1 7 7\n1 2 3 3 3\n',
  swf: '; MaxProcs: 8\n1 0 5 100 4 -1 -1 4 200 -1 1 7 3 -1 2 -1 -1 -1\n2 9 5 100 4 -1 -1 4 200 -1 1 7 3 -1 2 -1 -1 -1\n',
  sacct: 'JobID|User|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|ReqCPUS|NCPUS|ReqMem\n1|ann|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:11:00|600|20|COMPLETED|4|4|512Mc\n2|bob|2024-01-01T00:00:10|2024-01-01T00:02:00|2024-01-01T00:12:00|600|UNLIMITED|TIMEOUT|8|8|4Gn\n',
  'sacct-json': '{ "jobs": [\n{ "job_id": 7, "state": { "current": ["COMPLETED"] }, "required": { "CPUs": 8 }, "time": { "submission": 1700000000, "start": 1700000030, "end": 1700000630, "elapsed": 600 }, "tres": { "requested": [{ "type": "cpu", "count": 8 }] } }\n] }\n',
  jobcomp: ['7', '8'].map((id) => `JobId=${id} UserId=ann(1) GroupId=u(1) Name=a b JobState=COMPLETED Partition=main TimeLimit=60 StartTime=2024-03-04T08:00:10 EndTime=2024-03-04T08:40:10 NodeList=n1 NodeCnt=1 ProcCnt=4 WorkDir=/ ReservationName= Tres=cpu=4 Account=p QOS=q WcKey= Cluster=c SubmitTime=2024-03-04T08:00:00 EligibleTime=2024-03-04T08:00:00 DerivedExitCode=0:0 ExitCode=0:0 \n`).join(''),
  eagle: 'job_id,user,account,partition,qos,wallclock_req,nodes_req,processors_req,gpus_req,mem_req,submit_time,start_time,end_time,run_time,state,name,work_dir,submit_line\n1,u,a,p,q,600,1,36,0,0,2019-01-01 00:00:00,2019-01-01 00:00:09,2019-01-01 00:05:09,300,COMPLETED,n,w,s\n',
  gwf: `# Grid Workload Format\n${[1, 2].map((id) => `${id} ${id * 10} 5 100 4 -1 -1 4 200 -1 1 U1 G1 -1 Q1 -1 S1 S1 ${Array(11).fill(-1).join(' ')}\n`).join('')}`,
  pbs: '01/31/2024 10:00:00;Q;7.pbs;queue=q\n01/31/2024 11:00:00;E;7.pbs;user=ann queue=q ctime=1706695200 start=1706695260 exec_host=n1/0*4 Resource_List.ncpus=4 Resource_List.walltime=02:00:00 end=1706698860 Exit_status=0\n',
  lsf: '"JOB_FINISH" "5.1" 1700000900 7 283 0 4 1700000000 0 0 1700000060 "ann" "q" "" "" "" "h" "d" "" "o" "e" "f" 0 2 "n1" "n2" 64 3.3 "" "run" 1 1 0 0 -1 0 0 9 8 0 0 0 -1 0 0 0 0 0 -1 "" "default" 0 4 "" "" 0 31 33 "" "" ""\n',
  sge: '# Version: 8\n#\nall.q:n1:users:ann:run:7:sge:0:1700000000:1700000060:1700000660:0:0:600:1:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:NONE:defaultdepartment:mpi:4:0:1:1:1:-l h_rt=900:0:NONE:0:0:0\n',
  condor: 'ClusterId = 7\nProcId = 0\nMyType = "Job"\nQDate = 1700000000\nJobStartDate = 1700000060\nCompletionDate = 1700003660\nJobStatus = 4\nRemoteWallClockTime = 3600.0\nRequestCpus = 4\nOwner = "ann"\n\nClusterId = 8\nProcId = 0\nMyType = "Job"\nQDate = 1700000009\nJobStartDate = 1700000060\nCompletionDate = 1700003660\nJobStatus = 4\nRemoteWallClockTime = 3600.0\nRequestCpus = 2\nOwner = "bob"\n',
  oar: '{\n"7": { "Job_Id": 7, "owner": "ann", "state": "Terminated", "queue": "default", "assigned_resources": [1, 2], "walltime": 7200, "submissionTime": 1700000000, "startTime": 1700000060, "stopTime": 1700003660 }\n}\n',
  openb: 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np0,6000,1024,1,460,,LS,Running,0,100,5\np1,6000,1024,2,1000,T4|P100,BE,Pending,7,90,\n',
  batsim: '{ "nb_res": 8,\n"jobs": [{ "id": "a", "subtime": 0, "res": 2, "profile": "p", "walltime": 100 }],\n"profiles": { "p": { "type": "delay", "delay": 12.5 } } }\n',
  'yarn-apps': '{"apps":{"app":[\n{"id":"application_17_0001","state":"FINISHED","startedTime":1000,"finishedTime":61000,\n"memorySeconds":122880,"vcoreSeconds":120}]}}\n',
  sls: '{ "job.start.ms": 0, "job.end.ms": 9000, "job.queue.name": "q", "job.id": "j1", "job.user": "u",\n"job.tasks": [{ "container.host": "/r/n", "container.start.ms": 1000, "container.end.ms": 5000, "container.priority": 20, "container.type": "map" }] }\n',
  jhist: 'Avro-Json\n{"type":"record"}\n{"type":"JOB_SUBMITTED","event":{"JobSubmitted":{"jobid":"job_1","submitTime":1000}}}\n\n{"type":"MAP_ATTEMPT_STARTED","event":{"S":{"taskid":"m","attemptId":"a","startTime":2000}}}\n\n{"type":"MAP_ATTEMPT_FINISHED","event":{"F":{"taskid":"m","attemptId":"a","finishTime":5000}}}\n',
  spark: '{"Event":"SparkListenerLogStart","Spark Version":"3.5.0"}\n{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1000,"Stage Infos":[{"Stage ID":0,"Parent IDs":[]}]}\n{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Index":0,"Launch Time":2000,"Finish Time":5000}}\n{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":6000}\n',
  kubernetes: '{"apiVersion":"v1","items":[\n{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","creationTimestamp":"2024-01-31T10:00:00Z"},"spec":{"template":{"spec":{"containers":[]}}},\n"status":{"startTime":"2024-01-31T10:00:05Z","completionTime":"2024-01-31T10:01:05Z"}}\n],"kind":"List"}\n',
  philly: '[{ "status": "Pass", "vc": "v", "jobid": "a1", "user": "u", "submitted_time": "2017-10-07 01:04:30",\n"attempts": [{ "start_time": "2017-10-07 01:05:00", "end_time": "2017-10-07 01:06:00", "detail": [{ "ip": "m1", "gpus": ["gpu0", "gpu1"] }] }] }]\n',
  'philly-table': 'timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 06:13:36,2759.0,2,5518.0,6214e9\n2017-10-09 06:13:06,5,1,5,a\n',
  swim: 'job0\t0\t0\t100\t0\t50\njob1\t6\t6\t100\t20\t50\n',
  'swim-history': 'job_1\tselect\t400\t80\t20\t1300000100.5\t95\t60\t60\t120\t4\t2\tin\tout\njob_2\tselect\t400\t80\t20\t1300000200\t95\t60\t60\t120\t4\t2\tin\tout\n',
  'alibaba-2017': '10,20,1,1,3,Terminated,50,0.01\n5,30,2,4,1,Terminated,100,0.02\n',
  'alibaba-2018': 'M1,10,j_1,1,Terminated,86400,86500,100,0.5\nR2_1,5,j_1,1,Terminated,86500,86600,100,0.5\n',
  pai: 'job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n1f,worker,3.0,Terminated,1000.0,1600.0,400.0,2.5,50.0,T4\n',
  wfformat: '{ "name": "w", "schemaVersion": "1.5", "workflow": {\n"specification": { "tasks": [{ "name": "p", "id": "a", "parents": [], "children": ["b"] }, { "name": "p", "id": "b", "parents": ["a"], "children": [] }] },\n"execution": { "tasks": [{ "id": "a", "runtimeInSeconds": 5, "coreCount": 1 }] } } }\n',
  wta: 'workflow_id,id,ts_submit,runtime,resource_amount_requested,parents\n1,10,0,5000,1.0,[]\n1,11,9,5000,1.0,[10]\n',
  opendc: 'id,submission_time,duration,cpu_count,cpu_capacity,mem_capacity\n1,2024-01-01 00:00:00,5000,1,2600.0,100\n2,2024-01-01 00:00:09,5000,1,2600.0,100\n',
  'job-table': 'id,submit,duration,cores\na,5,10,2\nb,6,10,2\n',
}
const options: Readonly<Record<string, object>> = { 'job-table': { demands: { cpu: 'cores' } } }

describe.each(Object.entries(samples))('a trace of the format %s', (format, text) => {
  const read = (changed: string) => [...jobsOf(parseTrace(bytesOf(changed), { options: options[format] }))]

  it('is known, and the same with ends of lines as in Windows, without the last, and after a byte order mark', () => {
    expect(detectFormatOf(bytesOf(text)).name).toBe(format)
    const jobs = read(text)
    expect(jobs.length).toBeGreaterThan(0)
    for (const changed of [text.replaceAll('\n', '\r\n'), text.trimEnd(), text.replaceAll('\n', '\r\n').trimEnd(), `\uFEFF${text}`, `${text}\n\n`]) {
      expect(detectFormatOf(bytesOf(changed)).name).toBe(format)
      expect(read(changed)).toEqual(jobs)
    }
  })
})

it('these are all formats, but for those that other tests write so', () => {
  const elsewhere = ['rumen', 'sls-synth', 'job-list']
  expect(traceFormats.map(({ name }) => name).filter((name) => !elsewhere.includes(name)).sort()).toEqual(Object.keys(samples).sort())
})
