/** Why a call failed, in the words of the page. The server of a tool does not choose them. */
import { Link } from '@tanstack/react-router'
import type { CallFailure } from '../../../../worker/contract/tools/call-failures.ts'
import { callFailureSentence, isMendedInSettings, toolSettings } from '../../../lib/tool-servers/failure-sentence.ts'

export const CallFailureText = ({ code }: { readonly code: CallFailure }) => (
  <>
    {callFailureSentence(code)}
    {isMendedInSettings(code) && (
      <>
        {' '}
        <Link to="/account/tools" className="text-foreground underline underline-offset-4">
          {toolSettings()}
        </Link>
      </>
    )}
  </>
)
