// Runs before every npm script under the system's Node: CommonJS without dependencies, compatible with Node 18. Installs the locked
// packages if they are missing or the lock file changed. One package is the pinned Node (node_modules/.bin/node), which npm puts first in
// PATH for the following script.
const { createHash } = require('node:crypto')
const { existsSync, lstatSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { spawnSync } = require('node:child_process')

const root = join(__dirname, '..')
const modulesDir = join(root, 'node_modules')
const stampFile = join(modulesDir, '.parley-lock')
const minimumNode = [22, 18]

// A content hash, because a clone sets all file times to the checkout and a branch switch changes them.
function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

function isInstalled(hash) {
  if (existsSync(stampFile)) return readFileSync(stampFile, 'utf8') === hash
  return isInstalledByHand()
}

/** True if npm's own record matches the lock file, because a user ran npm directly. */
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

/** `npm ci` empties node_modules. Refuses a symbolic link, because npm would empty another project's folder. */
function assertOurs() {
  if (!lstatSync(modulesDir, { throwIfNoEntry: false })?.isSymbolicLink()) return
  process.stderr.write(
    'Parley: node_modules is a link and what it points to does not fit package-lock.json. Remove the link and try again.\n',
  )
  process.exit(1)
}

function install() {
  // npm runs under the system's Node and warns (EBADENGINE) about packages that run under the pinned Node. The warning is hidden.
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
