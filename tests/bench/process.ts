/** What a server process costs, read from Linux: its CPU time and its memory. Times of a shared machine lie; these do so less. */
import { globSync, readFileSync } from 'node:fs'

/** The workerd that this process started. */
export function workerdOf(parentPid: number): number {
  for (const file of globSync('/proc/[0-9]*/stat')) {
    const [, pid, name, parent] = /^(\d+) \((.*)\) . (\d+)/.exec(read(file)) ?? []
    if (name === 'workerd' && Number(parent) === parentPid) return Number(pid)
  }
  throw new Error(`process ${parentPid} has no workerd`)
}

/** Of all its threads, in milliseconds. */
export function cpuMs(pid: number): number {
  let ns = 0
  for (const file of globSync(`/proc/${pid}/task/*/schedstat`)) ns += Number(read(file).split(' ')[0])
  return ns / 1e6
}

/**
 * What it has asked for, in kilobytes: heaps and stacks. Without the program itself, whose pages are shared with every workerd of the machine
 * and count for more when another one ends.
 */
export const memoryKb = (pid: number): number => Number(/^Pss_Anon:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1])

/** A process or thread may end while it is looked at. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
