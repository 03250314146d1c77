/** The layers of the container image, built from the Dockerfile without a container engine, and the commands of docs/deployment.md. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { buildImage, canSwitchUser, envOf, giveToNode, type Image, makeEnterable, pathIn, runIn, uidOf } from '../../support/dockerfile.ts'
import { freePort } from '../../support/ports.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { expectKept, readAnswer, startHeldModel } from '../kept-thread.ts'

/** npm installs every package of the lock file, and the page is built. */
const buildMs = 20 * 60_000

const dir = mkdtempSync(join(tmpdir(), 'parley-image-'))
let image: Image
beforeAll(async () => {
  makeEnterable(dir)
  image = await buildImage(rootDir, dir)
}, buildMs)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test('the image has the server, the built product and their packages, and nothing else', () => {
  for (const path of ['web', 'dist/local', 'dist/parley/index.js.map', 'node_modules/wrangler', 'node_modules/react', 'tests', '.git'])
    expect(existsSync(pathIn(image, join('/app', path))), path).toBe(false)
  const megabytes = Number(execFileSync('du', ['-sm', pathIn(image, '/app')], { encoding: 'utf8' }).split('\t')[0])
  // Chosen: workerd alone has 130 MB.
  expect(megabytes).toBeLessThan(250)
  expect(image).toMatchObject({ user: 'node', env: { HOST: '0.0.0.0', STATE_DIR: '/data' } })
})

/** The command lines of the section with a container in them, without the engine. */
function documentedCommands(): string[] {
  const prefix = 'docker compose run --rm --no-deps -T parley '
  const lines = readFileSync(join(rootDir, 'docs', 'deployment.md'), 'utf8').split('\n')
  return lines.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length))
}

test('starts as another user, is healthy, streams an answer, and restores a backup into an empty volume', async () => {
  const model = await startHeldModel()
  onTestFinished(() => model.peer.stop())
  const port = await freePort()
  const env = {
    ...envOf(image),
    PUBLIC_URL: `http://localhost:${port}`,
    OPENAI_COMPATIBLE_URL: model.peer.url,
    // The tests listen on loopback only.
    HOST: '127.0.0.1',
    PORT: `${port}`,
  }
  const [, ...args] = image.command
  const start = (stateDir: string) =>
    startServerProcess(args, {
      ...{ program: pathIn(image, '/usr/local/bin/node'), cwd: pathIn(image, image.workdir), uid: uidOf(image) },
      ...{ env: { ...env, STATE_DIR: stateDir }, ready: 'container.ready' },
    })
  const volume = pathIn(image, '/data')
  const first = await start(volume)
  onTestFinished(() => first.kill9())
  expect(await runIn(image, image.healthCommand, env)).toMatchObject({ status: 0, output: expect.stringContaining('"status":"ok"') })
  const kept = await readAnswer(env.PUBLIC_URL, model.release)
  const takeDown = await runIn(image, ['node', 'scripts/take-down.ts', 'neverNeverNeverNever1'], { ...env, STATE_DIR: volume })
  expect(takeDown).toMatchObject({ status: 1, output: expect.stringContaining('no database has the link') })
  expect(await first.terminate()).toBe(0)
  expect(await runIn(image, image.healthCommand, env)).toMatchObject({ status: 1 })

  const [backup = '', restore = '', ...others] = documentedCommands()
  expect(others).toEqual([])
  const other = join(dir, 'other-volume')
  mkdirSync(other)
  if (canSwitchUser) giveToNode(other)
  const run = (line: string, data: string) => execFileSync('sh', ['-c', line.replaceAll('/data', data)], { cwd: dir })
  run(backup, volume)
  rmSync(volume, { recursive: true })
  run(restore, other)
  const second = await start(other)
  onTestFinished(() => second.stop())
  await expectKept(kept)
})
