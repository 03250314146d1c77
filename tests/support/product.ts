// The built product as a user runs it: `scripts/start.ts` in a separate process group, on a free port, with a separate STATE_DIR. The
// developer's environment and `.dev.vars` do not apply, so that no test uses a real key.
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { rootDir } from '../../scripts/lib/paths.ts'
import { copyFirstState } from './first-state.ts'
import { freePort, isFree } from './ports.ts'
import { auditRecord } from './record-file.ts'

export type ProductOptions = {
  /** Settings, by the names of `.dev.vars.example`. */
  readonly env?: Readonly<Record<string, string>>
  /** Survives `stop` if given; a temporary one otherwise. */
  readonly stateDir?: string
  readonly port?: number
  /** The checkout that is started; this one by default. The data of another version is not audited, because the audit reads this schema. */
  readonly checkout?: string
}

/** For tests and benchmarks that write faster than a user may. */
export const unlimitedWrites = { MUTATION_BURST: '1000000', MUTATIONS_PER_SECOND: '1000000', MUTATIONS_PER_DAY: '1000000' }

/** A credit pays for every answer, so a running turn reserves no more than the credits of its model. */
export const fixedPrices = { CREDIT_MICRO_DOLLARS: '1000000' } as const

export type Product = {
  readonly url: string
  readonly port: number
  readonly stateDir: string
  /** The process id of the current process, which leads its process group. */
  readonly pid: number
  /** All output of all processes so far. */
  readonly output: readonly string[]
  /** Stops it permanently, audits its credits, and removes a temporary STATE_DIR. */
  stop(): Promise<void>
  /** SIGKILL to the script and its workerd at once, without a flush. */
  kill9(): Promise<void>
  /** Same port, same data. Stops it first if it still runs. */
  restart(): Promise<void>
}

// If `localhost` resolves to 127.0.0.1 first and ::1 second, Node would abandon the first after a quarter of a second without progress.
setDefaultAutoSelectFamilyAttemptTimeout(10_000)

const readyWithinMs = 120_000
const freeWithinMs = 60_000

const running = new Set<Product>()

/** Products that this process has started and not stopped permanently, including killed ones. */
export const runningProducts = (): readonly Product[] => [...running]

export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const port = options.port ?? (await freePort())
  const env = { CONTENT_DATABASES: process.env.CONTENT_DATABASES ?? '1', ...options.env }
  const stateDir = options.stateDir ?? (await newStateDir(env.CONTENT_DATABASES))
  const output: string[] = []
  const { checkout = rootDir } = options
  let child = await launch({ port, stateDir, env, output, checkout })

  const end = (signal: NodeJS.Signals) => endOf(child, port, signal)
  const product: Product = {
    url: `http://localhost:${port}`,
    port,
    stateDir,
    output,
    get pid() {
      return pidOf(child)
    },
    kill9: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGTERM')
      child = await launch({ port, stateDir, env, output, checkout })
    },
    stop: async () => {
      running.delete(product)
      await end('SIGTERM')
      const findings = checkout === rootDir ? await auditRecord(stateDir) : []
      if (!options.stateDir) rmSync(stateDir, { recursive: true, force: true })
      if (findings.length > 0) throw new Error(findings.join('\n'))
    },
  }
  if (checkout === rootDir) running.add(product)
  return product
}

async function endOf(child: ChildProcess, port: number, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  signalGroup(child, signal)
  await exited
  await untilFree(port)
}

const newStateDir = (CONTENT_DATABASES: string): Promise<string> =>
  copyFirstState(CONTENT_DATABASES, async (stateDir) => {
    const port = await freePort()
    await endOf(await launch({ port, stateDir, env: { CONTENT_DATABASES }, output: [], checkout: rootDir }), port, 'SIGTERM')
  })

type Launch = { port: number; stateDir: string; env: Readonly<Record<string, string>>; output: string[]; checkout: string }

async function launch({ port, stateDir, env, output, checkout }: Launch): Promise<ChildProcess> {
  const { PATH = '', HOME = '', TMPDIR = tmpdir(), NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [join(checkout, 'scripts', 'start.ts'), '--no-build', '--no-dev-vars'], {
    cwd: checkout,
    detached: true,
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...env, PORT: String(port), STATE_DIR: stateDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // An interrupted test run leaves no processes.
  const killAtExit = () => signalGroup(child, 'SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))

  await new Promise<void>((resolve, reject) => {
    const giveUp = setTimeout(() => reject(new Error(`the product was not ready in time:\n${output.join('\n')}`)), readyWithinMs)
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line)
        if (!/Parley is (ready|not set up)/.test(line)) return
        clearTimeout(giveUp)
        resolve()
      })
    }
    // Output may follow the exit: `close` waits for it, `exit` does not.
    child.once('close', (code, signal) => {
      clearTimeout(giveUp)
      reject(new Error(`the product ended before it was ready (${signal ?? code}):\n${output.join('\n')}`))
    })
  })
  return child
}

/** The group, not the process: workerd is a child of the script and would survive it. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals) {
  try {
    process.kill(-pidOf(child), signal)
  } catch (error) {
    // It has already exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('a started product has a process id')
  return child.pid
}

/** A killed workerd closes its socket shortly after its parent has exited. */
async function untilFree(port: number) {
  const giveUpAt = Date.now() + freeWithinMs
  while (!(await isFree(port))) {
    if (Date.now() > giveUpAt) throw new Error(`port ${port} is still in use ${freeWithinMs} ms after the product ended`)
    await sleep(20)
  }
}
