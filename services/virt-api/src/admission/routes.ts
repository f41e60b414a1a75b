import { readJsonObject } from '../http/body.ts';
import type { Router } from '../http/router.ts';
import { type AsyncWebhook, parseReview, reviewOf, type Webhook } from './review.ts';

/** Serves each webhook under its path. The API server shows no certificate here; the webhooks tell nothing but their verdict. */
export function addWebhooks(router: Router, webhooks: Readonly<Record<string, Webhook | AsyncWebhook>>): void {
  for (const [path, webhook] of Object.entries(webhooks)) {
    router.add('POST', path, async (context) => {
      const request = parseReview(await readJsonObject(context.request));
      return { status: 200, body: reviewOf(request.uid, await webhook(request)) };
    });
  }
}
