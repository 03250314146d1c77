// Carries out a Dockerfile without a container engine: each stage is a folder, which is the root of its paths. It supports the
// instructions that our Dockerfile uses and rejects all others. The programs of the base image are those of this machine.
import { spawn } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, cpSync, lchownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

export type Image = {
  /** The folder with the files of the image. */
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
  readonly healthCommand: readonly string[]
}
type Stage = { -readonly [Key in keyof Image]: Image[Key] }
type Build = { readonly context: string; readonly dir: string; readonly stages: Map<string, Stage> }

/** The user `node` of the base image. */
const nodeUid = 1000
/** Only root may start processes of another user. */
export const canSwitchUser = process.getuid?.() === 0

/** `context` contains the Dockerfile, `dir` receives the stages. */
export async function buildImage(context: string, dir: string): Promise<Image> {
  const build: Build = { context, dir, stages: new Map() }
  let stage: Stage | undefined
  for (const [instruction, rest] of instructionsOf(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    if (instruction === 'FROM') stage = newStage(build, rest)
    else if (stage === undefined) throw new Error(`${instruction} before FROM`)
    else await carryOut(build, stage, instruction, rest)
  }
  if (stage === undefined) throw new Error('the Dockerfile has no stage')
  return stage
}

function instructionsOf(text: string): [instruction: string, rest: string][] {
  return text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => {
      const [instruction = ''] = line.split(' ', 1)
      return [instruction, line.slice(instruction.length).trim()]
    })
}

function newStage({ dir, stages }: Build, rest: string): Stage {
  const name = / AS (\S+)$/.exec(rest)?.[1] ?? `stage-${stages.size}`
  const root = join(dir, name)
  const binDir = join(root, 'usr/local/bin')
  mkdirSync(binDir, { recursive: true })
  // A copy, because another user may not read the folder of this one.
  copyFileSync(process.execPath, join(binDir, 'node'))
  const stage: Stage = { root, workdir: '/', env: {}, user: 'root', command: [], healthCommand: [] }
  stages.set(name, stage)
  return stage
}

async function carryOut(build: Build, stage: Stage, instruction: string, rest: string): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      stage.workdir = resolve(stage.workdir, rest)
      return void mkdirSync(pathIn(stage, stage.workdir), { recursive: true })
    case 'ENV':
      stage.env = { ...stage.env, ...Object.fromEntries(rest.split(' ').map((pair) => pair.split('=', 2) as [string, string])) }
      return
    case 'COPY':
      return copy(build, stage, rest.split(' '))
    case 'RUN': {
      const { status, output } = await runIn(stage, ['sh', '-c', rest])
      if (status !== 0) throw new Error(`RUN ${rest} ended with ${status}:\n${output}`)
      return
    }
    case 'USER':
      stage.user = rest
      return
    case 'CMD':
      stage.command = JSON.parse(rest)
      return
    case 'HEALTHCHECK':
      stage.healthCommand = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4))
      return
    case 'VOLUME':
    case 'EXPOSE':
      return
    default:
      throw new Error(`${instruction} is not supported here`)
  }
}

function copy({ context, stages }: Build, stage: Stage, words: string[]): void {
  const options = Object.fromEntries(words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('=', 2)))
  const paths = words.filter((word) => !word.startsWith('--'))
  const to = paths.pop() ?? ''
  const isDir = /(^|\/)\.?$/.test(to) || paths.length > 1
  const target = pathIn(stage, resolve(stage.workdir, to))
  const source = options.from === undefined ? undefined : stages.get(options.from)
  for (const path of paths) {
    const from = source ? pathIn(source, path) : join(context, path)
    if (source === undefined && path === '.') copyContext(context, target)
    else if (statSync(from).isDirectory()) cpSync(from, target, { recursive: true, verbatimSymlinks: true })
    else cpSync(from, isDir ? join(target, basename(path)) : target)
  }
  if (options.chown === 'node:node' && canSwitchUser) giveToNode(target)
}

/** Our .dockerignore excludes everything (`*`) and then names what it includes (`!name`). */
function copyContext(context: string, target: string): void {
  const lines = readFileSync(join(context, '.dockerignore'), 'utf8').split('\n')
  const [first, ...included] = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (first !== '*' || included.some((line) => !/^![\w.-]+$/.test(line))) throw new Error('.dockerignore has another form')
  for (const name of included.map((line) => line.slice(1))) cpSync(join(context, name), join(target, name), { recursive: true })
}

/** With everything in it. */
export function giveToNode(path: string): void {
  chownSync(path, nodeUid, nodeUid)
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), nodeUid, nodeUid)
}

/** On this machine. */
export const pathIn = ({ root }: Image, path: string): string => join(root, path)

/** Values that are paths of the image become paths of this machine. */
export const envOf = (image: Image): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(image.env).map(([name, value]) => [name, value.startsWith('/') ? pathIn(image, value) : value])),
  PATH: `${pathIn(image, '/usr/local/bin')}:${process.env.PATH}`,
})

/** The user of the image, if this process may become it. */
export const uidOf = ({ user }: Image): number | undefined => (user === 'node' && canSwitchUser ? nodeUid : undefined)

/** Runs a command in the image with these variables. npm uses the cache of this machine. */
export async function runIn(image: Image, command: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const [program = '', ...args] = command
  const uid = uidOf(image)
  const npm = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^npm_config_(registry|cache|userconfig)$/i.test(name)))
  const child = spawn(program === 'node' ? pathIn(image, '/usr/local/bin/node') : program, args, {
    cwd: pathIn(image, image.workdir),
    env: { HOME: process.env.HOME, npm_config_prefer_offline: 'true', ...npm, ...envOf(image), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  const status = await new Promise<number | null>((done, failed) => child.once('error', failed).once('close', done))
  return { status, output }
}

/** Other users may enter the folder of a test. */
export const makeEnterable = (dir: string): void => chmodSync(dir, 0o755)
