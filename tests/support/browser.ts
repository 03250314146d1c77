// One Chromium per test process: CHROMIUM_PATH, else the packaged one, so that a machine with only Node and npm can run every test, else
// the system's. The packaged one is headless-only and needs a fifth less time per page.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { underLock } from '../../scripts/lib/lock.ts'
import { cacheDir } from '../../scripts/lib/paths.ts'

/**
 * Chromium uses only the last list of disabled features, so this repeats playwright's. Added here: the popup of the address bar, which a
 * headless browser renders for every context in a process that costs a third of a page.
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

/** Chosen: the first start reads the binary from a slow disk. */
const launchedWithinMs = 120_000

type Executable = { readonly path: string; readonly env?: Record<string, string> }

let shared: Promise<Browser> | undefined

/** The shared browser of this process, which closes with it. Tests are isolated by contexts. A crashed browser is replaced. */
export async function sharedBrowser(): Promise<Browser> {
  const running = await shared
  if (running?.isConnected()) return running
  shared = launchBrowser([shortLivedPages])
  return shared
}

/** A page of a test lives for seconds. Without V8's optimizing compilers, the tests of one browser need a sixth less time. */
const shortLivedPages = '--js-flags=--no-turbofan --no-maglev --always-sparkplug'

export async function launchBrowser(moreFlags: readonly string[] = []): Promise<Browser> {
  const { path, env } = await findChromium()
  const args = [...flags, ...moreFlags]
  return chromium.launch({ executablePath: path, args, timeout: launchedWithinMs, env: { ...definedOnly(process.env), ...env } })
}

async function findChromium(): Promise<Executable> {
  const chosen = process.env.CHROMIUM_PATH
  if (chosen) return { path: chosen }
  if (process.platform === 'linux' && process.arch === 'x64') return packagedChromium()
  return { path: '/usr/bin/chromium' }
}

/** Unpacked once into .cache/, under a lock: two test files could otherwise execute each other's incomplete binary. */
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

/** The package always unpacks into the temporary directory, so that setting is changed during the call. */
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

/** The fonts of the system and of the package: without fonts, Chromium lays out text with no size, and nothing is visible. */
const fonts = (directory: string) => `<?xml version="1.0"?>
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(directory, 'fonts')}</dir>
  <cachedir>${join(directory, 'font-cache')}</cachedir>
</fontconfig>
`

/** The package's copies of NSS and expat are used only where the system has none; the system's fit it better. */
function missingLibraries(path: string, directory: string): Record<string, string> {
  const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' })
  return stdout && !stdout.includes('not found') ? {} : { LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
