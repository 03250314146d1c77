import { afterEach } from 'vitest'
import type { Peer } from './peer-server.ts'

/** The peers that a test starts. They stop after each test of the file. */
export function peersOfTest(): Peer[] {
  const peers: Peer[] = []
  afterEach(async () => {
    await Promise.all(peers.splice(0).map((peer) => peer.stop()))
  })
  return peers
}
