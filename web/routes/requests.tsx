/** Overlays that are opened with a request. Separate from the others, because the first load names every chunk that the others import. */
import { PromptDialog } from '../features/account/prompts/prompts-page.tsx'
import { Exporting } from '../features/chat/thread/exporting.tsx'
import type { OverlayRequest } from '../lib/overlays.ts'

type RequestedProps = { readonly request: OverlayRequest; readonly onClose: () => void }

export const Requested = ({ request, onClose }: RequestedProps) =>
  'promptText' in request ? (
    <PromptDialog prompt={null} text={request.promptText} onClose={onClose} />
  ) : (
    <Exporting request={request} onClose={onClose} />
  )
