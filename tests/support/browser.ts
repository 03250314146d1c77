// One Chromium for a process of tests: CHROMIUM_PATH, else the one that comes with the packages, so that a machine with nothing but Node and
// npm can run every test; where that is not built for the machine, the system's. The one of the packages has no window to draw and needs a
// fifth less for the same page.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { underLock } from '../../scripts/lib/lock.ts'
import { cacheDir } from '../../scripts/lib/paths.ts'

/**
 * The last list that Chromium is given counts, so this repeats what playwright switches off. Of our own: what drops from an address bar,
 * which a browser without a window draws for every context, in a process that costs a third of a page.
 */
const withoutFeatures = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable'],
  ...['LensOverlay', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
  ...['TcpPortRandomizationWin', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
]

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${withoutFeatures.join(',')}`,
]

/** A machine that has never read it from its disk takes long. */
const launchedWithinMs = 120_000

type Executable = { readonly path: string; readonly env?: Record<string, string> }

let shared: Promise<Browser> | undefined

/** The one of this process, which it ends with: whoever needs to be alone has a context of their own. One that has died is replaced. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared
  if (running?.isConnected()) return running
  shared = launchBrowser()
  return shared
}

export async function launchBrowser(): Promise<Browser> {
  const { path, env } = await findChromium()
  return chromium.launch({ executablePath: path, args: flags, timeout: launchedWithinMs, env: { ...definedOnly(process.env), ...env } })
}

async function findChromium(): Promise<Executable> {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) return { path: chosen }
  if (process.platform === 'linux' && process.arch === 'x64') return packagedChromium()
  return { path: '/usr/bin/chromium' }
}

/** Unpacked once into .cache/, under a lock: two test files at once would otherwise run each other's half-written binary. */
async function packagedChromium(): Promise<Executable> {
  const packageFile = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'package.json')
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
  const directory = join(cacheDir, `chromium-${version}`)
  const complete = join(directory, 'complete')
  if (!existsSync(complete)) {
    await underLock(join(cacheDir, 'chromium.lock'), async () => {
      if (existsSync(complete)) return
      rmSync(directory, { recursive: true, force: true })
      mkdirSync(directory, { recursive: true })
      await unpack(directory, join(dirname(packageFile), 'bin'))
      writeFileSync(fontsFile(directory), fonts(directory))
      writeFileSync(complete, version)
    })
  }
  const path = join(directory, 'chromium')
  return { path, env: { FONTCONFIG_FILE: fontsFile(directory), ...missingLibraries(path, directory) } }
}

/** The package unpacks into the temporary directory and nowhere else, so that is what the directory is called for as long as it takes. */
async function unpack(directory: string, packed: string) {
  const { default: packaged, inflate } = await import('@sparticuz/chromium')
  const before = process.env.TMPDIR
  process.env.TMPDIR = directory
  try {
    await packaged.executablePath()
    await inflate(join(packed, 'al2023.tar.br'))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

const fontsFile = (directory: string) => join(directory, 'fonts.conf')

/** The system's fonts and the package's: with neither, Chromium lays out text of no size, and nothing on a page is visible. */
const fonts = (directory: string) => `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(directory, 'fonts')}</dir>
  <cachedir>${join(directory, 'font-cache')}</cachedir>
</fontconfig>
`

/** Where the system lacks NSS or expat, the copies in the package stand in; where it has them, they fit it better. */
function missingLibraries(path: string, directory: string): Record<string, string> {
  const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' })
  return stdout && !stdout.includes('not found') ? {} : { LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
