// Runs before `start`, `dev` and `test` under whatever Node the machine has, so: CommonJS, no dependency, nothing newer than Node 18.
// It installs the locked packages when they are missing or the lock changed. One of those packages is the pinned Node itself
// (node_modules/.bin/node), which npm puts first in PATH for the script that follows.
const { createHash } = require('node:crypto')
const { existsSync, lstatSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { spawnSync } = require('node:child_process')

const root = join(__dirname, '..')
const modulesDir = join(root, 'node_modules')
const stampFile = join(modulesDir, '.parley-lock')
const minimumNode = [22, 18]

// A content hash, not a time: a fresh clone gives every file the time of the checkout, and a branch switch moves times backwards.
function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function isInstalled(hash) {
  if (existsSync(stampFile)) return readFileSync(stampFile, 'utf8') === hash
  return isInstalledByHand()
}

/** Somebody ran npm themselves: npm's own record says whether what is there is what the lock asks for. */
function isInstalledByHand() {
  const record = join(modulesDir, '.package-lock.json')
  if (!existsSync(record)) return false
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '' || (optional && !installed[path])) return true
    return installed[path] !== undefined && installed[path].version === version
  })
}

/** `npm ci` begins by emptying node_modules; through a link it would empty somebody else's. */
function assertOurs() {
  if (!lstatSync(modulesDir, { throwIfNoEntry: false })?.isSymbolicLink()) return
  process.stderr.write(
    'Parley: node_modules is a link and what it points to does not fit package-lock.json. Remove the link and try again.\n',
  )
  process.exit(1)
}

function install() {
  // npm runs under the system's Node and says EBADENGINE about packages that will run under the pinned one: not news to anybody.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const flags = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline']
  const { status } = spawnSync(npm, flags, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) {
    process.stderr.write('Parley: `npm ci` failed (its message is above). Nothing was started.\n')
    process.exit(status || 1)
  }
}

function runnableNode() {
  const { stdout } = spawnSync(join(modulesDir, '.bin', 'node'), ['--version'], { encoding: 'utf8' })
  return stdout ? stdout.trim() : process.version
}

function isNewEnough(version) {
  const [major, minor] = version.slice(1).split('.').map(Number)
  return major > minimumNode[0] || (major === minimumNode[0] && minor >= minimumNode[1])
}

const hash = lockHash()
if (!isInstalled(hash)) {
  assertOurs()
  process.stdout.write('Parley: installing the locked packages with npm ci …\n')
  install()
  writeFileSync(stampFile, hash)
}

const version = runnableNode()
if (!isNewEnough(version)) {
  process.stderr.write(
    `Parley needs Node ${minimumNode.join('.')} or newer and found ${version}. On linux-x64 the right one comes with npm ci; ` +
      'on this platform install Node 24 from https://nodejs.org and try again.\n',
  )
  process.exit(1)
}
