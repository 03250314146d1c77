import { serverAway, unorderedStream } from '../support/server-away.ts'
import type { UserPage } from './user-page.ts'

/** A user whose page gets everything except a socket while it is `cut`. */
export async function withoutSocket(user: UserPage): Promise<{ readonly cut: () => Promise<void>; readonly mend: () => void }> {
  user.ignoreErrors(serverAway)
  user.ignoreErrors(unorderedStream)
  let isCut = false
  const open = new Set<{ close(): Promise<void> }>()
  await user.context.routeWebSocket(/\/sync\//, async (socket) => {
    if (isCut) return socket.close()
    open.add(socket)
    socket.connectToServer()
  })
  return {
    cut: async () => {
      isCut = true
      await Promise.all([...open].map((socket) => socket.close()))
      open.clear()
    },
    mend: () => {
      isCut = false
    },
  }
}
