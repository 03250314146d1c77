// The release before this checkout, built: the newest tag `v…` that an earlier commit has. Without one, a copy of this checkout is used.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { underLock } from '../../scripts/lib/lock.ts'
import { cacheDir, rootDir } from '../../scripts/lib/paths.ts'

/** The files that a start and the client of the tests need. */
const needed = ['scripts', 'worker', 'web', 'tests', 'migrations', 'dist', 'wrangler.jsonc', 'package.json', 'package-lock.json']

/** The name of the release, and the folder with its built checkout. */
export type Release = { readonly name: string; readonly dir: string }

export async function releaseBefore(): Promise<Release> {
  const name = newestTag()
  return name === null ? { name: 'this checkout', dir: rootDir } : { name, dir: await builtRelease(name) }
}

/** A copy, so that a test can change its files. */
export function copyOf({ dir }: Release): string {
  const copy = mkdtempSync(join(tmpdir(), 'parley-release-'))
  for (const path of needed) cpSync(join(dir, path), join(copy, path), { recursive: true })
  symlinkSync(join(dir, 'node_modules'), join(copy, 'node_modules'))
  mkdirSync(join(copy, '.cache'))
  return copy
}

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: rootDir, encoding: 'utf8', stdio: 'pipe' }).trim()

/** Null in a clone without tags, and in a copy without git. */
function newestTag(): string | null {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^')
  } catch {
    return null
  }
}

/** Stays in the cache, because it is the same for every run. */
async function builtRelease(tag: string): Promise<string> {
  const dir = join(cacheDir, `release-${git('rev-parse', '--short=12', `${tag}^{commit}`)}`)
  const isBuilt = join(dir, 'built')
  await underLock(`${dir}.lock`, async () => {
    if (existsSync(isBuilt)) return
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(join(dir, '.cache'), { recursive: true })
    execFileSync('tar', ['-x', '-C', dir], { input: execFileSync('git', ['archive', tag], { cwd: rootDir, maxBuffer: 2 ** 30 }) })
    installPackages(dir)
    inCheckout(dir, process.execPath, 'scripts/build.ts', '--when-stale', '--local')
    writeFileSync(isBuilt, '')
  })
  return dir
}

/** The statements of better-auth and Drizzle belong to a release, so it runs with its own packages. npm takes most of them from its cache. */
function installPackages(dir: string): void {
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (lockOf(dir) === lockOf(rootDir)) symlinkSync(join(rootDir, 'node_modules'), join(dir, 'node_modules'))
  else inCheckout(dir, 'npm', 'ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error')
}

/** Without the variables of the test runner, which would change a build. */
function inCheckout(cwd: string, command: string, ...args: readonly string[]): void {
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env
  execFileSync(command, args, { cwd, env: { PATH, HOME, TMPDIR }, stdio: 'inherit' })
}
