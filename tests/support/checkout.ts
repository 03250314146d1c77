// A copy of this repository with its build, from which a test deploys.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootDir } from '../../scripts/lib/paths.ts'
import type { CloudflarePeer } from './peers/cloudflare.ts'

/** Read by `npm run deploy -- --no-build`, and by wrangler in the root. */
const needed = ['scripts', 'worker', 'web/service-worker', 'migrations', 'dist', '.wrangler/deploy', 'wrangler.jsonc', 'package.json']

export type Outcome = { readonly status: number | null; readonly output: string }
export type Checkout = {
  readonly dir: string
  /** `env` is added to the address and the token of the peer. Without `--no-check`, the deployment must answer at its address. */
  deploy(env?: Readonly<Record<string, string>>, args?: readonly string[]): Promise<Outcome>
  /** Writes the credentials of `wrangler login`. */
  logIn(token: string): void
  /** Kills `deploy` and its child processes. */
  kill(): void
  read(file: string): string
  remove(): void
}

/** A folder with what wrangler and the scripts of a deployment read. */
export function copyRepository(): string {
  const dir = mkdtempSync(join(tmpdir(), 'parley-checkout-'))
  for (const path of needed) cpSync(join(rootDir, path), join(dir, path), { recursive: true })
  symlinkSync(join(rootDir, 'node_modules'), join(dir, 'node_modules'))
  for (const made of ['.home', '.cache']) mkdirSync(join(dir, made))
  return dir
}

export function checkout(peer: CloudflarePeer): Checkout {
  const dir = copyRepository()
  const home = join(dir, '.home')
  let pid: number | undefined

  return {
    dir,
    deploy: (env = {}, args = ['--no-check']) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [join(dir, 'scripts', 'deploy.ts'), '--no-build', ...args], {
          cwd: dir,
          detached: true,
          env: {
            PATH: process.env.PATH ?? '',
            HOME: home,
            // A deployment starts up to ten wrangler processes.
            NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
            XDG_CONFIG_HOME: home,
            CLOUDFLARE_API_BASE_URL: peer.url,
            CLOUDFLARE_API_TOKEN: peer.token,
            // Otherwise wrangler caches the account in node_modules.
            CLOUDFLARE_ACCOUNT_ID: peer.account.id,
            // The peer records requests to other hosts.
            HTTPS_PROXY: peer.url,
            HTTP_PROXY: peer.url,
            NO_PROXY: '127.0.0.1',
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        })
        pid = child.pid
        let output = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
        child.once('error', reject)
        child.once('close', (status) => resolve({ status, output }))
      }),
    logIn: (token) => {
      mkdirSync(join(home, '.wrangler', 'config'), { recursive: true })
      const login = { oauth_token: token, refresh_token: 'of-nobody', expiration_time: '2999-01-01T00:00:00.000Z' }
      const lines = Object.entries(login).map(([name, value]) => `${name} = "${value}"\n`)
      writeFileSync(join(home, '.wrangler', 'config', 'default.toml'), `${lines.join('')}scopes = ["account:read", "offline_access"]\n`)
    },
    kill: () => {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    },
    read: (file) => readFileSync(join(dir, file), 'utf8'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
