import { loginSentence } from '../../lib/auth-refusals/auth-sentence.ts'

/** The failure of a link or provider login. */
export const LoginProblem = ({ code }: { readonly code: string }) => (
  <p role="alert" className="rounded-lg border border-warning/40 bg-warning/8 px-3.5 py-2.5 text-pretty">
    {loginSentence(code)}
  </p>
)
