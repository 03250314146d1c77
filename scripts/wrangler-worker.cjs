// The custom build of plain wrangler commands in the root (scripts/lib/plain-wrangler.ts): copies the Worker of the command to dist/wrangler.
// The configuration there is that of the production Worker for every command.
const { cpSync, existsSync, readdirSync, rmSync } = require('node:fs')
const { join } = require('node:path')

const dist = join(__dirname, '..', 'dist')
const target = join(dist, 'wrangler')
const source = join(dist, process.env.WRANGLER_COMMAND === 'dev' ? 'local' : 'parley')

if (!existsSync(join(source, 'index.js'))) {
  process.stderr.write('Parley: the Worker is not built, or the page is newer; run `npm run build`.\n')
  process.exit(1)
}
for (const name of readdirSync(target)) if (name !== 'wrangler.json') rmSync(join(target, name), { recursive: true })
for (const name of readdirSync(source))
  if (/^(index\.js(\.map)?|assets)$/.test(name)) cpSync(join(source, name), join(target, name), { recursive: true })
