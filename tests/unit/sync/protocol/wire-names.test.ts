// Fails when the messages of the protocol have changed. Compare with the client's own schemas
// (node_modules/@rocicorp/zero/out/zero-protocol), and change the expectation only together with the pinned version.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { upBodies } from '../../../../worker/sync/protocol/up.ts'

const zeroDir = join(import.meta.dirname, '../../../../node_modules/@rocicorp/zero')
const fileOf = (path: string) => readFileSync(join(zeroDir, path), 'utf8')

test('[X1] every message tag of the client is known', () => {
  const up = fileOf('out/zero-protocol/src/up.js')
  const inUnion =
    /union\(([^)]*)\)/
      .exec(up)?.[1]
      ?.split(',')
      .map((name) => name.trim().replace(/MessageSchema$/, '')) ?? []
  const ours: string[] = Object.keys(upBodies)
  const named: Record<string, string> = { inspectUp: 'inspect', pullRequest: 'pull' }
  expect(inUnion.map((name) => named[name] ?? name).sort()).toEqual(ours.sort())
})
