import type { WireClient } from '../support/wire-client.ts'
import { nickname, showsNickname } from './clients.ts'
import { cpuMs } from './process.ts'

type Writes = {
  /** The number of the first write, so that no two writes are equal. */
  readonly from: number
  readonly writes: number
}

/** Server milliseconds for each delivered poke. Each write follows when all clients have received the previous one. */
export async function cpuPerPoke(
  server: number,
  writer: WireClient,
  readers: readonly WireClient[],
  { from, writes }: Writes,
): Promise<number> {
  const before = cpuMs(server)
  for (let index = from; index < from + writes; index++) {
    const received = Promise.all(readers.map((reader) => showsNickname(reader, index)))
    await writer.confirmed(writer.push('settings.update', nickname(index)))
    await received
  }
  return (cpuMs(server) - before) / (writes * (readers.length + 1))
}
