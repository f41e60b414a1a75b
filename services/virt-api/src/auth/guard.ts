import type { TLSSocket } from 'node:tls';
import type { KubeClient } from '@yagura/kube';
import type { Reply, RequestContext, RouteHandler } from '../http/router.ts';
import { accessReview, resourceAttributes } from './access-review.ts';
import { authenticate, type Peer, type RequestHeaderConfig, type User } from './request-header.ts';

export interface GuardOptions {
  client: Pick<KubeClient, 'request'>;
  config: () => RequestHeaderConfig | undefined;
}

export type UserHandler = (context: RequestContext, user: User) => Promise<Reply>;

interface AnsweredReview {
  status?: { allowed?: boolean; reason?: string; evaluationError?: string };
}

/**
 * Lets through only what the API server's front proxy sends for a user whom the cluster's authorizers allow it.
 * `subresource`: its name in roles, without what the path says besides, such as a port. A refusal is 401 with plain text, as the contract has it: who asks without proof learns nothing more.
 */
export function guarded(options: GuardOptions, handler: UserHandler, subresource?: string): RouteHandler {
  return async (context) => {
    const authentication = authenticate(context.request.headersDistinct, peerOf(context), options.config());
    if (!authentication.ok) return { status: 401, body: `not authenticated: ${authentication.why}\n` };
    const asked = resourceAttributes(context.method, context.path);
    const attributes = asked && subresource ? { ...asked, subresource } : asked;
    if (attributes === undefined)
      return { status: 401, body: `not authorised: ${context.method} ${context.path} has no verb\n` };
    const review = await options.client.request<AnsweredReview>(
      {
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: accessReview(authentication.user, attributes),
        timeoutMs: 5000,
      },
      context.signal,
    );
    if (review.status?.allowed !== true) {
      const { verb, resource, subresource, group, namespace } = attributes;
      const what = `${verb} ${resource}${subresource ? `/${subresource}` : ''} in group ${group} in namespace ${namespace}`;
      const why = review.status?.reason || review.status?.evaluationError;
      return { status: 401, body: `user ${authentication.user.username} may not ${what}${why ? `: ${why}` : ''}\n` };
    }
    return handler(context, authentication.user);
  };
}

function peerOf(context: RequestContext): Peer {
  const socket = context.request.socket as Partial<TLSSocket>;
  const subject = socket.getPeerCertificate?.()?.subject;
  const commonName = subject?.CN;
  return { authorized: socket.authorized === true, commonName: Array.isArray(commonName) ? commonName[0] : commonName };
}
