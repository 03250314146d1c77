/** Overlays that are opened with a request. Separate from the others, because the first load names every chunk that the others import. */
import { lazyPart } from '../lib/lazy-part.ts'
import type { OverlayRequest } from '../lib/overlays.ts'

const Exporting = lazyPart(() => import('../features/chat/thread/exporting.tsx').then((module) => module.Exporting))
const NewPrompt = lazyPart(() => import('../features/account/prompts/prompt-dialog.tsx').then((module) => module.PromptDialog))

type RequestedProps = { readonly request: OverlayRequest; readonly onClose: () => void }

export const Requested = ({ request, onClose }: RequestedProps) =>
  'promptText' in request ? (
    <NewPrompt prompt={null} text={request.promptText} onClose={onClose} />
  ) : (
    <Exporting request={request} onClose={onClose} />
  )
