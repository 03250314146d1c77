/**
 * What a vendor's stream says twice is heard once: a connection that repeats events must neither spoil an answer that is whole nor have
 * a tool used twice. Words pass as they come, because a word that came twice may have been said twice.
 */
import type { VendorPart } from './vendor-model.ts'

/** For one stream. Tells of each part, in order, whether it is news. */
export function saidOnce(): (part: VendorPart) => boolean {
  const open = new Set<string>()
  const said = new Set<string>()
  let isOver = false
  const opens = (block: string): boolean => !open.has(block) && Boolean(open.add(block))
  const isFirst = (key: string): boolean => !said.has(key) && Boolean(said.add(key))
  return (part) => {
    if (isOver) return false
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return true
      case 'text-start':
        return opens(`text ${part.id}`)
      case 'text-end':
        return open.delete(`text ${part.id}`)
      case 'reasoning-start':
        return opens(`reasoning ${part.id}`)
      case 'reasoning-end':
        return open.delete(`reasoning ${part.id}`)
      case 'tool-input-start':
        return opens(`tool ${part.id}`)
      case 'tool-input-end':
        return open.delete(`tool ${part.id}`)
      // Some vendors give two calls one id: only the same question is the same call.
      case 'tool-call':
        return isFirst(`call ${part.toolCallId} ${part.toolName} ${part.input}`)
      case 'source':
        return isFirst(`source ${part.id}`)
      case 'finish':
        isOver = true
        return true
      default:
        return true
    }
  }
}
